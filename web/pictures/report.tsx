/** The report of a scan, and the list of scans that have a report. */
import { addressOf, place } from '../state.ts';
import { CopyAddress } from './copy-address.tsx';
import { Frame } from './frame.tsx';
import { Shown, useLoaded } from './parts.tsx';
import { comparableWith, inOrder, type ListedScan, listScans } from './scans.ts';

/** Shows the report of the scan in the address, or the list of scans. */
export function ReportView() {
  const [, id] = place.value;
  return id === undefined ? <ReportList /> : <Report id={id} />;
}

function Report({ id }: { readonly id: string }) {
  const path = `/v1/reports/${encodeURIComponent(id)}`;
  return (
    <>
      <div class="tools">
        <h1>Report</h1>
        <CopyAddress />
        <a class="button" href={path} target="_blank" rel="noopener">
          Open alone
        </a>
        <CompareWith id={id} />
      </div>
      <Frame path={path} title="Report of the scan" />
    </>
  );
}

/** Offers the other scans of the same type. */
function CompareWith({ id }: { readonly id: string }) {
  const scans = useLoaded(id, listScans);
  const loaded = scans.value;
  const all = loaded !== undefined && 'value' in loaded ? loaded.value : [];
  const others = comparableWith(id, all);
  if (others.length === 0) return undefined;
  return (
    <details class="menu">
      <summary class="button">Compare with…</summary>
      <ul>
        {others.map((other) => (
          <li key={other.id}>
            <a href={addressOf('compare', ...inOrder(id, other, all))}>
              <ScanTitle scan={other} />
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function ScanTitle({ scan: { name, subject, date } }: { readonly scan: ListedScan }) {
  return (
    <>
      <span dir="auto">{subject}</span>
      {name === '' ? undefined : (
        <>
          : <span dir="auto">{name}</span>
        </>
      )}{' '}
      <time class="soft" dateTime={date}>
        {date.slice(0, 10)}
      </time>
    </>
  );
}

function ReportList() {
  const scans = useLoaded('', listScans);
  return (
    <>
      <h1>Reports</h1>
      <Shown of={scans} what="the scans">
        {(all) => (all.length === 0 ? <p>There is no scan yet.</p> : <ScanTable scans={all} />)}
      </Shown>
    </>
  );
}

function ScanTable({ scans }: { readonly scans: readonly ListedScan[] }) {
  return (
    <table class="scans">
      <thead>
        <tr>
          {['Scan of', 'State', 'Date'].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {scans.map((scan) => (
          <tr key={scan.id}>
            <td>
              <a href={addressOf('reports', scan.id)} dir="auto">
                {scan.subject === '' ? scan.id : scan.subject}
              </a>{' '}
              <span class="soft">
                {kindOfScan(scan)} <span dir="auto">{scan.name}</span>
              </span>
            </td>
            <td>{scan.state.toLowerCase().replaceAll('_', ' ')}</td>
            <td>
              <time dateTime={scan.date}>{scan.date.slice(0, 10)}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function kindOfScan({ kind, type }: ListedScan): string {
  return kind === 'Model' ? 'model scan' : `${type.toLowerCase()} red-team scan`;
}
