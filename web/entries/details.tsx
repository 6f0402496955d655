/** Shows what came of a line: its error, tables, context, files, notes and requests. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { problemFrom } from '../api.ts';
import { putIntoLine, setLine } from '../line/state.ts';
import { ReportLink } from '../pictures/report-link.tsx';
import { details, loadDetail } from '../room/store.ts';
import { commands } from '../state.ts';
import type { EntryDetail, EntryHead, Problem, RoomFile } from '../types.ts';
import { copiesOf, copyText, runAgain } from './actions.ts';
import { visible } from './cells.ts';
import { hintParts } from './hints.ts';
import { Requests } from './inspector.tsx';
import { LongText } from './json.tsx';
import { RecordView } from './record.tsx';
import { TableView } from './table.tsx';
import { tablesOf } from './tables.ts';

/** Loads an entry when it is opened, and shows it. */
export function EntryBody({ head }: { head: EntryHead }) {
  const { number } = head;
  const failed = useSignal<Problem | undefined>(undefined);
  const detail = details.value.get(number);
  const load = () => {
    failed.value = undefined;
    loadDetail(number).catch((thrown: unknown) => {
      failed.value = problemFrom(thrown);
    });
  };
  useEffect(load, [number]);
  if (detail !== undefined) return <Detail detail={{ ...detail, ...head }} />;
  if (failed.value === undefined) return <p class="entry-body loading-entry soft">Loading…</p>;
  return (
    <div class="entry-body">
      <ProblemView problem={failed.value} />
      <button type="button" onClick={load}>
        Load again
      </button>
    </div>
  );
}

function Detail({ detail }: { detail: EntryDetail }) {
  const { number, result, problem, requests, wrote } = detail;
  const tables = useComputed(() => {
    const shown = details.value.get(number)?.result;
    return shown === undefined ? [] : tablesOf(shown, commands.value.get(shown.command));
  });
  const failure = problem ?? result?.failure;
  const notes = [...(result?.truncated === undefined ? [] : [result.truncated.note]), ...(result?.notes ?? [])];
  const files = [...(result?.files ?? []), ...(result?.truncated?.file === undefined ? [] : [result.truncated.file])];
  return (
    <div class="entry-body">
      {detail.line.length <= 80 ? undefined : (
        <p class="entry-line">
          <code dir="auto">{visible(detail.line)}</code>
        </p>
      )}
      {failure === undefined ? undefined : <ProblemView problem={failure} />}
      {result === undefined ? undefined : <ReportLink outputs={result.outputs} />}
      {tables.value.map((table, at) => {
        const id = `table-${number}-${at}`;
        return table.many ? (
          <TableView key={id} {...{ table, number, id }} />
        ) : (
          <RecordView key={id} {...{ table, id }} />
        );
      })}
      {result !== undefined && tables.value.length === 0 && result.readable !== '' ? (
        <pre class="readable" dir="auto">
          {visible(result.readable)}
        </pre>
      ) : undefined}
      {[...new Set(notes)].map((note) => (
        <p key={note} class="note">
          <Hint text={note} />
        </p>
      ))}
      <Files files={files} />
      {wrote.length === 0 ? undefined : (
        <p class="entry-tools">
          Context:
          {wrote.map((path) => (
            <button key={path} type="button" class="plain" onClick={() => putIntoLine(`\${${path}}`)}>
              <code>{`\${${path}}`}</code>
            </button>
          ))}
        </p>
      )}
      <Tools detail={detail} />
      <Requests requests={requests} />
    </div>
  );
}

function Tools({ detail }: { detail: EntryDetail }) {
  return (
    <div class="entry-tools">
      <button type="button" onClick={() => void runAgain(detail, false)}>
        Run again
      </button>
      <button
        type="button"
        title="The new result replaces this result in view"
        onClick={() => void runAgain(detail, true)}
      >
        Run again here
      </button>
      <button type="button" onClick={() => setLine(detail.line)}>
        Edit line
      </button>
      <span class="group">
        Copy:
        {copiesOf(detail).map(([what, text]) => (
          <button
            key={what}
            type="button"
            class="plain"
            aria-label={`Copy ${what}`}
            onClick={() => void copyText(text(), `the ${what}`)}
          >
            {what}
          </button>
        ))}
      </span>
    </div>
  );
}

function ProblemView({ problem: { detail, hint } }: { problem: Problem }) {
  return (
    <div class="problem-view">
      <p class="problem">
        <span aria-hidden="true">✗ </span>
        <LongText text={detail} />
      </p>
      {hint === undefined ? undefined : (
        <p>
          <Hint text={hint} />
        </p>
      )}
    </div>
  );
}

/** A sentence whose commands are buttons that put them into the line. */
function Hint({ text }: { text: string }) {
  return (
    <span dir="auto">
      {hintParts(text, (name) => commands.value.has(name)).map((part, at) =>
        'line' in part ? (
          <button key={at} type="button" title="Put into the line" onClick={() => setLine(part.line)}>
            <code>{visible(part.line)}</code>
          </button>
        ) : (
          visible(part.text)
        ),
      )}
    </span>
  );
}

function Files({ files }: { files: readonly RoomFile[] }) {
  const unique = [...new Map(files.map((file) => [file.id, file])).values()];
  if (unique.length === 0) return null;
  return (
    <ul class="files" aria-label="Files">
      {unique.map(({ id, name, size }) => (
        <li key={id}>
          <a href={`/v1/files/${encodeURIComponent(id)}`} download={name}>
            <bdi>{visible(name)}</bdi>
          </a>{' '}
          {size === null ? undefined : <span class="soft">{Math.ceil(size / 1000)} kB</span>}
        </li>
      ))}
    </ul>
  );
}
