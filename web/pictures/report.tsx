/** The report of a scan, and the list of scans that have a report. */
import { addressOf, place } from '../state.ts';
import { Frame } from './frame.tsx';
import { PageLinks } from './page-links.tsx';
import { Load } from './parts.tsx';
import { comparisonsOf, type ListedScan, listScans } from './scans.ts';

/** Shows the report of the scan in the address, or the list of scans. */
export function ReportView() {
  const [, id] = place.value;
  return id === undefined ? <ReportList /> : <Report key={id} id={id} />;
}

function Report({ id }: { readonly id: string }) {
  const path = `/v1/reports/${encodeURIComponent(id)}`;
  return (
    <>
      <div class="tools">
        <h1>Report</h1>
        <PageLinks path={path} />
        <Load load={(signal) => listScans(signal).catch(() => [])}>
          {(scans) => <CompareWith id={id} scans={scans} />}
        </Load>
      </div>
      <Frame path={path} title="Report of the scan" />
    </>
  );
}

/** Offers the other scans of the same kind. */
function CompareWith({ id, scans }: { readonly id: string; readonly scans: readonly ListedScan[] }) {
  const comparisons = comparisonsOf(id, scans);
  if (comparisons.length === 0) return undefined;
  return (
    <details class="menu">
      <summary class="button">Compare with…</summary>
      <ul>
        {comparisons.map(({ other: { subject, name, date }, ids }) => (
          <li key={ids.join()}>
            <a href={addressOf('compare', ...ids)} dir="auto">
              {subject} {name} {date.slice(0, 10)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function ReportList() {
  return (
    <>
      <h1>Reports</h1>
      <Load what="the scans" load={listScans}>
        {(scans) => (scans.length === 0 ? <p>There is no scan yet.</p> : <ScanTable scans={scans} />)}
      </Load>
    </>
  );
}

function ScanTable({ scans }: { readonly scans: readonly ListedScan[] }) {
  return (
    <table class="scans">
      <thead>
        <tr>
          <th scope="col">Scan of</th>
          <th scope="col">State</th>
          <th scope="col">Date</th>
        </tr>
      </thead>
      <tbody>
        {scans.map(({ id, subject, name, kind, state, date }) => (
          <tr key={id}>
            <td>
              <a href={addressOf('reports', id)} dir="auto">
                {subject || id}
              </a>{' '}
              <span class="soft" dir="auto">
                {kind} {name}
              </span>
            </td>
            <td>{state.toLowerCase().replaceAll('_', ' ')}</td>
            <td class="date">{date.slice(0, 10)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
