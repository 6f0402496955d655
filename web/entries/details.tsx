/** Shows what came of a line: its error, tables, context, files, notes and requests. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { problemFrom } from '../api.ts';
import { putIntoLine, setLine } from '../line/state.ts';
import { ReportLink } from '../pictures/report-link.tsx';
import { details, loadDetail } from '../room/store.ts';
import { commands } from '../state.ts';
import type { EntryDetail, EntryHead, Problem, RoomFile } from '../types.ts';
import { Act } from './act.tsx';
import { copiesOf, copyText, runAgain } from './actions.ts';
import { visible } from './cells.ts';
import { hintParts } from './hints.ts';
import { Requests } from './inspector.tsx';
import { LongText } from './json.tsx';
import { RecordView } from './record.tsx';
import { TableView } from './table.tsx';

/** Lines up to this length are whole in the head of the entry. */
const SHORT_LINE = 80;

/** Loads an entry when it is opened, and shows it. */
export function EntryBody({ head }: { head: EntryHead }) {
  const { number } = head;
  const failed = useSignal<Problem | undefined>(undefined);
  const detail = details.value.get(number);
  useEffect(() => {
    loadDetail(number).catch((thrown: unknown) => {
      failed.value = problemFrom(thrown);
    });
  }, [number]);
  return (
    <div class="entry-body">
      {detail !== undefined ? (
        <Detail detail={{ ...detail, ...head }} />
      ) : failed.value === undefined ? (
        <p class="soft">Loading…</p>
      ) : (
        <ProblemView problem={failed.value} />
      )}
    </div>
  );
}

function Detail({ detail }: { detail: EntryDetail }) {
  const { number, line, result, problem, requests, wrote, tables } = detail;
  const failure = problem ?? result?.failure;
  const { truncated, notes = [], files = [], readable = '' } = result ?? {};
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
      <Files files={truncated?.file === undefined ? files : [...files, truncated.file]} />
      <div class="entry-tools">
        {wrote.map((path) => (
          <Act key={path} class="plain" title="Put into the line" on={() => putIntoLine(`\${${path}}`)}>
            <code dir="auto">{visible(`\${${path}}`)}</code>
          </Act>
        ))}
        {commands.value.has(detail.command ?? '') ? (
          <>
            <Act on={() => runAgain(detail, false)}>Run again</Act>
            <Act title="The new result replaces this result in view" on={() => runAgain(detail, true)}>
              Run again here
            </Act>
          </>
        ) : undefined}
        <Act on={() => setLine(line)}>Edit line</Act>
        <span>
          Copy:
          {copiesOf(detail).map(([what, text]) => (
            <Act key={what} class="plain" aria-label={`Copy ${what}`} on={() => copyText(text(), what)}>
              {what}
            </Act>
          ))}
        </span>
      </div>
      <Requests requests={requests} />
    </>
  );
}

/** Shows why something failed; the commands of its hint are buttons. */
export function ProblemView({ problem: { detail, hint } }: { problem: Problem }) {
  return (
    <div class="entry-problem">
      <p class="problem">
        ✗ <LongText text={detail} />
      </p>
      {hint === undefined ? undefined : <Hint text={hint} />}
    </div>
  );
}

/** A sentence whose commands are buttons that put them into the line. */
function Hint({ text }: { text: string }) {
  return (
    <span dir="auto">
      {hintParts(text, (name) => commands.value.has(name)).map((part, at) =>
        'line' in part ? (
          <Act key={at} title="Put into the line" on={() => setLine(part.line)}>
            <code>{visible(part.line)}</code>
          </Act>
        ) : (
          visible(part.text)
        ),
      )}
    </span>
  );
}

function Files({ files }: { files: readonly RoomFile[] }) {
  const unique = [...new Map(files.map((file) => [file.id, file])).values()];
  return (
    <>
      {unique.map(({ id, name, size }) => (
        <p key={id}>
          <a href={`/v1/files/${encodeURIComponent(id)}`} download={name}>
            <bdi>{visible(name)}</bdi>
          </a>{' '}
          <span class="soft">{size === null ? '' : `${Math.ceil(size / 1000)} kB`}</span>
        </p>
      ))}
    </>
  );
}
