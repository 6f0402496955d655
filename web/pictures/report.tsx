/** The report of a scan, two scans side by side, and the list of scans that have a report. */
import { Act } from '../entries/act.tsx';
import { copyText } from '../entries/actions.ts';
import { State } from '../entries/cell.tsx';
import { textOf } from '../entries/cells.ts';
import { addressOf, place } from '../state.ts';
import { Frame } from './frame.tsx';
import { Load, type Row, recordsOf } from './parts.tsx';

/** Commands that list scans with a report. */
const LISTS = ['aisec-redteam-scans-list', 'aisec-model-security-scans-list'];

/** Shows the report or the comparison in the address, and how to share it, or the list of scans. */
export function ReportView() {
  const [view, id, ...others] = place.value;
  if (id === undefined) return <ReportList />;
  const [title, pages] = view === 'compare' ? ['Comparison', 'comparisons'] : ['Report', 'reports'];
  const path = `/v1/${pages}/${[id, ...others].map(encodeURIComponent).join('/')}`;
  return (
    <>
      <div class="tools">
        <h1>{title}</h1>
        <Act on={() => copyText(location.href, 'the address')}>Copy address</Act>
        <a href={path} target="_blank" rel="noopener">
          Open alone
        </a>
      </div>
      <Load load={(signal) => listScans(signal).catch(() => [])}>
        {(scans) => <Comparisons id={id} scans={scans} />}
      </Load>
      <Frame key={path} path={path} title={title} />
    </>
  );
}

/** Offers the other completed scans of the same kind, the earlier scan first. */
function Comparisons({ id, scans }: { readonly id: string; readonly scans: readonly Scan[] }) {
  const { kind, state, date = '' } = scans.find((scan) => scan.id === id) ?? {};
  const others = scans.filter((scan) => scan.id !== id && scan.kind === kind && scan.state === 'COMPLETED');
  if (state !== 'COMPLETED' || others.length === 0) return undefined;
  return (
    <details>
      <summary>Compare with…</summary>
      <Scans of={others} to={(other) => ['compare', ...(other.date < date ? [other.id, id] : [id, other.id])]} />
    </details>
  );
}

function ReportList() {
  return (
    <>
      <h1>Reports</h1>
      <Load what="the scans" load={listScans}>
        {(scans) => <Scans of={scans} to={(scan) => ['reports', scan.id]} />}
      </Load>
    </>
  );
}

/** Shows scans as a list of links. */
function Scans({ of, to }: { readonly of: readonly Scan[]; readonly to: (scan: Scan) => readonly string[] }) {
  return (
    <ul>
      {of.map((scan) => (
        <li key={scan.id}>
          <a href={addressOf(...to(scan))}>
            <bdi>{scan.title || scan.id}</bdi>
          </a>{' '}
          <State text={scan.state} /> <span class="soft">{[scan.kind, scan.time].filter(Boolean).join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

/** Lists the scans that the caller may see, newest first. @throws ApiError if no list can be read */
async function listScans(signal: AbortSignal) {
  const read = await Promise.allSettled(LISTS.map((command) => recordsOf(command, signal)));
  const rows = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failed = read.find((each) => each.status === 'rejected');
  if (rows.length === 0 && failed?.reason instanceof Error) throw failed.reason;
  return rows.map(scanOf).sort((one, other) => other.date.localeCompare(one.date));
}

type Scan = ReturnType<typeof scanOf>;

function scanOf({ uuid, name, target_name, model_uri, job_type, status, eval_outcome, created_at }: Row) {
  return {
    id: textOf(uuid),
    title: [name, target_name ?? model_uri].map(textOf).filter(Boolean).join(', '),
    kind: job_type === undefined ? 'model scan' : `${textOf(job_type).toLowerCase()} red-team scan`,
    state: textOf(eval_outcome ?? status),
    date: textOf(created_at),
    time: created_at && new Date(String(created_at)).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }),
  };
}

/** Outputs that hold one scan. */
const SCAN = /^AiSec\.(?:RedTeam|ModelSecurity)Scan(?:Create|Get)$/;
/** States of scans with a report. */
const FINISHED: readonly unknown[] = ['COMPLETED', 'PARTIALLY_COMPLETE', 'ALLOWED', 'BLOCKED', 'ERROR'];

/** Links to the report of the finished scan in a result, if there is one. */
export function ReportLink({ outputs }: { readonly outputs: Readonly<Record<string, unknown>> }) {
  const [, scan = {}] = Object.entries(outputs).find(([path]) => SCAN.test(path)) ?? [];
  const { uuid, status, eval_outcome } = scan as Readonly<Record<string, unknown>>;
  if (!FINISHED.includes(eval_outcome ?? status)) return undefined;
  return (
    <p>
      <a href={addressOf('reports', String(uuid))}>Open the report</a>
    </p>
  );
}
