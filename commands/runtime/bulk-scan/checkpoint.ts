/** The checkpoint of a bulk scan: small for any number of prompts, because finished rows are kept in files of the host. */
import type { Tools } from '../../../lib/command.ts';
import { type AisecError, ConfigurationError, PreconditionError, toAisecError } from '../../../lib/errors.ts';
import { isObject, type JsonObject, objectOf, objectsOf } from '../../../lib/json.ts';
import { grouped } from '../../../lib/text/numbers.ts';
import { listOf, rangesOf } from '../../../lib/text/ranges.ts';
import { utf8Length } from '../../../lib/text/utf8.ts';
import type { AcceptedScan, Finished, Restored } from './restored.ts';
import { countOf, type Row } from './rows.ts';
import type { Counts } from './summary.ts';

export interface Checkpoint {
  readonly finished: Finished;
  /** Finished rows that are in no file yet. */
  readonly rows: readonly Row[];
  /** Results after a gap. */
  readonly completed: readonly Row[];
  /** Scans that the service has not finished. */
  readonly accepted: readonly Omit<AcceptedScan, 'mark'>[];
  /** Rows that may have been scanned more than once. */
  readonly again: readonly number[];
  /** Maximum number of prompts in one batch, as learned so far. */
  readonly batch: number;
  /** Whether the simulated service responded; null before the first response. */
  readonly simulated: boolean | null;
}

type Host = Pick<Tools, 'files'>;

/** Limits in bytes, as JSON in JSON: together with the other arguments they stay below 16 kB. */
const [MAX_POSITION, MAX_PROMPTS] = [9000, 4000];
const FILE = { name: 'AiSec-BulkScan-rows.jsonl', type: 'application/jsonl' } as const;
/** A name that stands for no form: the prompts are read as they were in the argument. */
const PROMPTS = { name: 'AiSec-BulkScan-prompts.txt', type: 'text/plain' } as const;

/** Writes a checkpoint as a job's position; what exceeds its size limit goes into files. @throws ConfigurationError if the host saves no files */
export async function writeCheckpoint(checkpoint: Checkpoint, host: Host): Promise<JsonObject> {
  const { finished, rows, completed, accepted, again, batch, simulated } = checkpoint;
  const scans = accepted.map(({ scan, rows, since }) => [scan, rangesOf(rows), since ?? null]);
  const state = { found: completed.map(withoutPrompt), scans, again: rangesOf(again) };
  const small = { ...finished, batch, simulated, rows: rows.map(withoutPrompt), state };
  if (fits(small)) return small;
  const position = { ...small, ...(await keepRows(finished, rows, host)), rows: [] };
  return fits(position) ? position : { ...position, state: await keep(JSON.stringify(state), host) };
}

// Prompts are in the input; the arguments of a poll are shown to people.
function withoutPrompt(row: Row): JsonObject {
  return { ...row, prompt: undefined };
}

async function keepRows(finished: Finished, rows: readonly Row[], host: Host): Promise<Finished> {
  if (rows.length === 0) return finished;
  const lines = rows.map((row) => JSON.stringify(row));
  const file = await keep([JSON.stringify({ before: finished.file }), ...lines].join('\n'), host);
  return { counts: countAll(finished.counts, rows), file };
}

/** Adds rows to counts. */
export function countAll(before: Counts, rows: readonly Row[]): Counts {
  const counts = { ...before };
  for (const row of rows) {
    counts.total += 1;
    counts[countOf(row)] += 1;
  }
  return counts;
}

function fits(position: JsonObject): boolean {
  return utf8Length(JSON.stringify(JSON.stringify(position))) <= MAX_POSITION;
}

/** Saves long prompts as a file. @returns arguments that refer to the file, or undefined if the prompts are short */
export async function keepPrompts(prompts: string, host: Host): Promise<Record<string, string> | undefined> {
  if (utf8Length(JSON.stringify(prompts)) <= MAX_PROMPTS) return undefined;
  return { prompts_csv: 'file', entry_id: await keep(prompts, host, PROMPTS) };
}

async function keep(text: string, { files }: Host, kind: typeof FILE | typeof PROMPTS = FILE): Promise<string> {
  try {
    const writer = await files.create(kind.name, kind.type);
    await writer.write(text);
    const { entry } = await writer.close();
    if ((await textOf(entry, { files })) === text) return entry;
  } catch (thrown) {
    throw notKept(toAisecError(thrown).message);
  }
  throw notKept('it reads back as something else.');
}

function notKept(why: string): ConfigurationError {
  return new ConfigurationError(`A file that the bulk scan needs from one run to the next was not kept: ${why}`, {
    hint: 'Scan fewer prompts at once, or run the command where files can be kept and read.',
  });
}

async function textOf(entry: string, { files }: Host): Promise<string> {
  const reader = await files.read({ entry, name: entry, size: undefined });
  const pieces: string[] = [];
  for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) pieces.push(piece);
  await reader.close();
  return pieces.join('');
}

/** Reads a checkpoint. @param position from {@link writeCheckpoint}, or an empty object for a new run */
export async function readCheckpoint(position: JsonObject, host: Host): Promise<Restored> {
  const { state } = position;
  let [kept, lost]: [JsonObject, AisecError | undefined] = [objectOf(state), undefined];
  if (typeof state === 'string') {
    try {
      kept = objectOf(JSON.parse(await textOf(state, host)));
    } catch {
      lost = new PreconditionError(`The file ${state}, which names the unfinished scans of the run, is gone.`, {
        hint: `The prompts behind the results are to be scanned again. ${KEEP_FILES}`,
      });
    }
  }
  const finished = finishedIn(position);
  const rows = objectsOf(position['rows']).slice();
  const completed = new Map(objectsOf(kept['found']).map((row) => [Number(row['row']), row]));
  const accepted = listIn(kept['scans']).map(acceptedScan);
  return {
    next: async () => rows.shift(),
    ...{ finished, completed, accepted },
    through: lastOf([finished.counts.total + rows.length, ...Array.from(completed.keys())], accepted),
    uncertain: [],
    again: listOf(String(kept['again'] ?? '')),
    simulated: typeof position['simulated'] === 'boolean' ? position['simulated'] : undefined,
    hasEnd: false,
    lost,
  };
}

const KEEP_FILES = 'Files of the investigation are needed until the run has ended.';

function lastOf(rows: readonly number[], accepted: readonly AcceptedScan[]): number {
  const inScans = accepted.map((scan) => scan.rows.reduce((last, row) => Math.max(last, row), 0));
  return [...rows, ...inScans].reduce((last, row) => Math.max(last, row), 0);
}

function finishedIn({ counts, file }: JsonObject): Finished {
  const { total, blocked, allowed, errors } = objectOf(counts);
  return {
    counts: {
      total: Number(total ?? 0),
      blocked: Number(blocked ?? 0),
      allowed: Number(allowed ?? 0),
      errors: Number(errors ?? 0),
    },
    file: typeof file === 'string' ? file : null,
  };
}

function acceptedScan(scan: unknown): AcceptedScan {
  const [id, rows, since] = listIn(scan);
  return {
    scan: String(id),
    rows: listOf(String(rows)),
    mark: '',
    since: typeof since === 'number' ? since : undefined,
  };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Reads the finished rows, as JSON in order. @returns `lost` if a file is gone: the rows up to it are missing */
export async function readFinished(finished: Finished, host: Host): Promise<{ lines: string[]; lost?: AisecError }> {
  const chunks: string[][] = [];
  let lost: AisecError | undefined;
  let left = finished.counts.total;
  let entry = finished.file;
  while (entry !== null && lost === undefined) {
    const file: string = entry;
    try {
      const [head = '', ...rows] = (await textOf(file, host)).split('\n');
      const { before } = beginning(head);
      if (rows.length > left) throw new Error('a file of other rows');
      left -= rows.length;
      entry = before;
      chunks.push(rows);
    } catch {
      lost = rowsLost(file, left);
    }
  }
  const lines: string[] = [];
  for (const chunk of chunks.reverse()) for (const line of chunk) lines.push(line);
  return lost === undefined ? { lines } : { lines, lost };
}

/** Parses the head of a file. @throws Error for an unknown file */
function beginning(head: string): { before: string | null } {
  const value: unknown = JSON.parse(head);
  if (!(isObject(value) && 'before' in value)) throw new Error('no file of rows');
  return { before: typeof value['before'] === 'string' ? value['before'] : null };
}

function rowsLost(entry: string, count: number): PreconditionError {
  return new PreconditionError(
    `The file ${entry} is gone, and with it the results of prompts 1 to ${grouped(count)}.`,
    {
      hint: `Scan these prompts again. ${KEEP_FILES}`,
    },
  );
}
