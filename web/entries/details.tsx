/** Shows what came of a line: its error, tables, context, files, notes and requests. */
import { putIntoLine, setLine } from '../line/state.ts';
import { Load } from '../pictures/parts.tsx';
import { ReportLink } from '../pictures/report.tsx';
import { details, loadDetail } from '../room/store.ts';
import { commands } from '../state.ts';
import type { EntryDetail, EntryHead } from '../types.ts';
import { Act, Acts } from './act.tsx';
import { copiesOf, copyText, runAgain } from './actions.ts';
import { RecordView } from './cell.tsx';
import { spentTime, visible } from './cells.ts';
import { Hint, ProblemView } from './hints.tsx';
import { Json, LongText } from './json.tsx';
import { TableView } from './table.tsx';

/** Lines up to this length are whole in the head of the entry. */
const SHORT_LINE = 40;

/** Loads an entry when it is opened, and shows it. */
export function EntryBody({ head }: { head: EntryHead }) {
  return (
    <div class="entry-body">
      <Load what="the result" load={() => loadDetail(head.number)} known={details.value.get(head.number)}>
        {(detail) => <Detail detail={{ ...detail, ...head }} />}
      </Load>
    </div>
  );
}

function Detail({ detail }: { detail: EntryDetail }) {
  const { number, line, result, problem, wrote, tables } = detail;
  const failure = problem ?? result?.failure;
  const { truncated, notes = [], files = [], readable = '' } = result ?? {};
  const all = truncated?.file === undefined ? files : [...files, truncated.file];
  const sentences = new Set([...(truncated === undefined ? [] : [truncated.note]), ...notes]);
  return (
    <>
      {line.length > SHORT_LINE ? <LongText text={line} /> : undefined}
      {failure === undefined ? undefined : <ProblemView problem={failure} />}
      {result === undefined ? undefined : <ReportLink outputs={result.outputs} />}
      {tables.map((table, at) => {
        const id = `table-${number}-${at}`;
        return table.many ? <TableView key={id} {...{ table, number, id }} /> : <RecordView key={id} table={table} />;
      })}
      {tables.length === 0 && readable !== '' ? <pre dir="auto">{visible(readable)}</pre> : undefined}
      {[...sentences].map((note) => (
        <p key={note}>
          <Hint text={note} />
        </p>
      ))}
      {[...new Map(all.map((file) => [file.id, file])).values()].map(({ id, name, size }) => (
        <p key={id}>
          <a href={`/v1/files/${encodeURIComponent(id)}`} download={name}>
            <bdi>{visible(name)}</bdi>
          </a>{' '}
          <span class="soft">{size === null ? '' : `${Math.ceil(size / 1000)} kB`}</span>
        </p>
      ))}
      <div class="entry-tools">
        {wrote.map((path) => (
          <Act key={path} class="plain" title="Put into the line" on={() => putIntoLine(`\${${path}}`)}>
            <code dir="auto">{visible(`\${${path}}`)}</code>
          </Act>
        ))}
        {commands.value.has(detail.command ?? '') ? (
          <>
            <Act on={() => runAgain(detail, false)}>Run again</Act>
            <Act title="The new result takes the place of this entry" on={() => runAgain(detail, true)}>
              Run again and replace
            </Act>
          </>
        ) : undefined}
        <Act on={() => setLine(line)}>Edit line</Act>
        <Acts verb="Copy" of={copiesOf(detail).map(([what, text]) => [what, () => copyText(text(), what)])} />
      </div>
      <Requests {...detail} />
    </>
  );
}

function Requests({ number, requests }: EntryDetail) {
  if (requests.length === 0) return null;
  return (
    <details class="requests">
      <summary>
        Requests <span class="soft">{requests.length}</span>
      </summary>
      <ol>
        {requests.map(({ method, url, status, ms, at, sent, received }, index) => (
          <li key={index}>
            <p>
              <strong dir="auto">{visible(method)}</strong> <code dir="auto">{visible(url)}</code>{' '}
              <span class={status === null || status >= 400 ? 'bad' : 'good'}>{status ?? 'no answer'}</span>{' '}
              <span class="soft">
                {spentTime(ms)} at <time dir="auto">{visible(at)}</time>
              </span>
            </p>
            {sent !== undefined && <Json name="sent" value={sent} at={`${number}/${index}/sent`} />}
            {received !== undefined && <Json name="received" value={received} at={`${number}/${index}/received`} />}
          </li>
        ))}
      </ol>
    </details>
  );
}
