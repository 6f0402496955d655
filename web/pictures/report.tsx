/** The report of a scan, two scans side by side, and the list of scans that have a report. */
import type { ComponentChildren } from 'preact';
import { Act } from '../entries/act.tsx';
import { copyText } from '../entries/actions.ts';
import { visible } from '../entries/cells.ts';
import { addressOf, place } from '../state.ts';
import { Frame } from './frame.tsx';
import { Load } from './parts.tsx';
import { comparisonsOf, type ListedScan, listScans } from './scans.ts';

/** Shows the report of the scan in the address, or the list of scans. */
export function ReportView() {
  const [, id] = place.value;
  if (id === undefined) return <ReportList />;
  return (
    <MadePage key={id} title="Report" path={`/v1/reports/${encodeURIComponent(id)}`}>
      <Load load={(signal) => listScans(signal).catch(() => [])}>
        {(scans) => <Comparisons comparisons={comparisonsOf(id, scans)} />}
      </Load>
    </MadePage>
  );
}

/** Shows the comparison of the two scans in the address. */
export function ComparisonView() {
  const [, ...ids] = place.value;
  const path = `/v1/comparisons/${ids.map(encodeURIComponent).join('/')}`;
  return (
    <MadePage key={path} title="Comparison" path={path}>
      {ids.map((id, at) => (
        <a key={id} href={addressOf('reports', id)}>
          {at === 0 ? 'First report' : 'Second report'}
        </a>
      ))}
    </MadePage>
  );
}

interface MadePageProps {
  readonly title: string;
  readonly path: string;
  readonly children: ComponentChildren;
}

/** A page that the service makes, and how to share it. */
function MadePage({ title, path, children }: MadePageProps) {
  return (
    <>
      <div class="tools">
        <h1>{title}</h1>
        <Act on={() => copyText(location.href, 'the address')}>Copy address</Act>
        <a href={path} target="_blank" rel="noopener">
          Open alone
        </a>
        {children}
      </div>
      <Frame path={path} title={title} />
    </>
  );
}

/** Offers the other scans of the same kind. */
function Comparisons({ comparisons }: { readonly comparisons: ReturnType<typeof comparisonsOf> }) {
  if (comparisons.length === 0) return undefined;
  return (
    <details>
      <summary>Compare with…</summary>
      {comparisons.map(({ other: { subject, name, date }, ids }) => (
        <p key={ids.join()}>
          <a dir="auto" href={addressOf('compare', ...ids)}>
            {visible(`${subject} ${name} ${date.slice(0, 10)}`)}
          </a>
        </p>
      ))}
    </details>
  );
}

function ReportList() {
  return (
    <>
      <h1>Reports</h1>
      <Load what="the scans" load={listScans}>
        {(scans) => (scans.length === 0 ? <p>There is no scan yet.</p> : <ul>{scans.map(listed)}</ul>)}
      </Load>
    </>
  );
}

function listed({ id, subject, name, kind, state, date }: ListedScan) {
  return (
    <li key={id}>
      <a dir="auto" href={addressOf('reports', id)}>
        {visible(subject) || id}
      </a>{' '}
      <bdi>{visible(name)}</bdi>{' '}
      <span class="soft">
        {kind}, {state.toLowerCase().replaceAll('_', ' ')}, {date.slice(0, 10)}
      </span>
    </li>
  );
}
