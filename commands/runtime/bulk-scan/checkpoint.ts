/** The checkpoint of a bulk scan: small for any number of prompts, because the host's files keep finished rows. */

import { type AisecError, ConfigurationError, PreconditionError, toAisecError } from '../../../lib/core/errors.ts';
import { isObject, type JsonObject, objectOf, objectsOf } from '../../../lib/core/json.ts';
import { grouped, numbersIn, rangesOf } from '../../../lib/core/text/numbers.ts';
import { utf8Length } from '../../../lib/core/text/utf8.ts';
import type { Tools } from '../../../lib/runtime/engine/command.ts';
import { type Counts, rowIn } from './rows.ts';
import type { AcceptedScan, BulkState, Finished, Restored } from './state.ts';

/** The state of a run, with the data that its next slice receives. */
export interface Checkpoint extends BulkState {
  /** Counts of all finished rows. */
  readonly counts: Counts;
  /** Finished rows that are not in a file yet, as JSON. */
  readonly rows: readonly string[];
  /** Maximum number of prompts in one batch, as learned so far. */
  readonly batch: number;
}

type Host = Pick<Tools, 'files'>;

/** Limits in bytes of JSON in JSON, chosen so that all arguments together stay below 16 kB. */
const [MAX_POSITION, MAX_PROMPTS] = [9000, 4000];
/** Limit in bytes if the host keeps no files: rows in the arguments are better than lost rows. */
const MAX_WITHOUT_FILES = 500_000;
/** Maximum number of rows that could fit into the arguments. */
const MAX_ROWS = 2000;
const FILE = { name: 'AiSec-BulkScan-rows.jsonl', type: 'application/jsonl' } as const;
/** A name that implies no format, so that the prompts are read as in the argument. */
const PROMPTS = { name: 'AiSec-BulkScan-prompts.txt', type: 'text/plain' } as const;

/**
 * Writes a checkpoint as a job's position. Data beyond its size limit goes into files; on a host without files, the
 * position may be larger.
 * @throws ConfigurationError if the host keeps no files, and the position is too large without them
 */
export async function writeCheckpoint(checkpoint: Checkpoint, host: Host): Promise<JsonObject> {
  const { finished, counts, rows, completed, accepted, again, batch, simulated = null } = checkpoint;
  const scans = accepted.map(({ scan, rows, since }) => [scan, rangesOf(rows), since ?? null]);
  const state = { found: Array.from(completed.values()).map(withoutPrompt), scans, again: rangesOf(again) };
  const around = { ...finished, batch, simulated, state };
  const small = rows.length > MAX_ROWS ? undefined : { ...around, rows: rows.map(rowIn).map(withoutPrompt) };
  if (small !== undefined && sizeOf(small) <= MAX_POSITION) return small;
  try {
    const kept = rows.length === 0 ? finished : { counts, file: await keepRows(finished, rows, host) };
    const position = { ...around, ...kept, rows: [] };
    return sizeOf(position) <= MAX_POSITION
      ? position
      : { ...position, state: await keep(JSON.stringify(state), host) };
  } catch (thrown) {
    if (small !== undefined && sizeOf(small) <= MAX_WITHOUT_FILES) return small;
    throw thrown;
  }
}

// Leave out prompts and columns: the input has them, and people see the arguments of a poll.
function withoutPrompt(row: JsonObject): JsonObject {
  return { ...row, prompt: undefined, columns: undefined };
}

function keepRows(finished: Finished, lines: readonly string[], host: Host): Promise<string> {
  return keep([JSON.stringify({ before: finished.file }), ...lines].join('\n'), host);
}

/** Measures a position in bytes, as JSON in JSON. */
function sizeOf(position: JsonObject): number {
  return utf8Length(JSON.stringify(JSON.stringify(position)));
}

/**
 * Saves long prompts as a file.
 * @returns arguments that refer to the file, or undefined if the prompts stay in their argument
 * @throws ConfigurationError if the host keeps no files, and the prompts are too long for an argument
 */
export async function keepPrompts(prompts: string, host: Host): Promise<Record<string, string> | undefined> {
  const size = utf8Length(JSON.stringify(prompts));
  if (size <= MAX_PROMPTS) return undefined;
  try {
    return { prompts_csv: 'file', entry_id: await keep(prompts, host, PROMPTS) };
  } catch (thrown) {
    if (size <= MAX_WITHOUT_FILES) return undefined;
    throw thrown;
  }
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
  throw notKept('its content has changed.');
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
        hint: `The prompts after these results must be scanned again. ${KEEP_FILES}`,
      });
    }
  }
  const finished = finishedIn(position);
  const rows = objectsOf(position['rows']).slice();
  return {
    next: async () => rows.shift(),
    finished,
    done: finished.counts.total + rows.length,
    completed: new Map(objectsOf(kept['found']).map((row) => [Number(row['row']), row])),
    accepted: listIn(kept['scans']).map(acceptedScan),
    uncertain: [],
    again: numbersIn(String(kept['again'] ?? '')),
    simulated: typeof position['simulated'] === 'boolean' ? position['simulated'] : undefined,
    hasEnd: false,
    lost,
  };
}

const KEEP_FILES = 'Files of the investigation are needed until the run has ended.';

function finishedIn({ counts, file }: JsonObject): Finished {
  const { total = 0, blocked = 0, allowed = 0, errors = 0 } = objectOf(counts);
  return {
    counts: { total: Number(total), blocked: Number(blocked), allowed: Number(allowed), errors: Number(errors) },
    file: typeof file === 'string' ? file : null,
  };
}

function acceptedScan(scan: unknown): AcceptedScan {
  const [id, rows, since] = listIn(scan);
  return { scan: String(id), rows: numbersIn(String(rows)), since: typeof since === 'number' ? since : undefined };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Reads the finished rows, one file at a time, so that only one is in memory.
 * @param take receives the rows of a file as JSON, in order
 * @returns an error if a file is gone: the rows up to it are missing
 */
export async function readFinished(
  { file: last, counts }: Finished,
  host: Host,
  take: (lines: readonly string[]) => Promise<void>,
): Promise<AisecError | undefined> {
  const files: string[] = [];
  let lost: AisecError | undefined;
  let left = counts.total;
  // Each file names the previous file, so the first pass finds where they begin.
  for (let entry = last; entry !== null && lost === undefined; ) {
    const file: string = entry;
    try {
      const { before, lines } = await readRows(file, host);
      if (lines.length > left) throw new Error('a file of other rows');
      left -= lines.length;
      files.push(file);
      entry = before;
    } catch {
      lost = rowsLost(file, left);
    }
  }
  for (const file of files.reverse()) await take((await readRows(file, host)).lines);
  return lost;
}

async function readRows(file: string, host: Host): Promise<{ before: string | null; lines: readonly string[] }> {
  const [head = '', ...lines] = (await textOf(file, host)).split('\n');
  return { before: beginning(head).before, lines };
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
