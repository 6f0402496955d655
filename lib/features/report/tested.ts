/** Reads every attack, goal or prompt of a red-team scan with its outcome, in one form for all types of scans. */
import { ServiceError, UsageError } from '../../engine/errors.ts';
import { asText, type JsonObject, objectsOf } from '../../engine/json.ts';
import type { CommandOutput, RunCommand } from '../../engine/run-command.ts';
import { grouped, plural } from '../../text/numbers.ts';
import { attackOf } from './collect/collect-attacks.ts';
import { goalOf } from './collect/collect-goals.ts';
import { promptOf } from './collect/collect-prompts.ts';
import type { Attack } from './model.ts';
import { numberOf, textOf, worded } from './page/format.ts';

/** Outcome of an attack; unanswered: no try got a response, so it is unknown. */
export type Outcome = 'successful' | 'withstood' | 'unanswered';

/** An attack, goal or prompt of one scan. */
export interface Tested extends Attack {
  /** Identifier in this scan. */
  readonly id: string | undefined;
  /** Identifier that later scans use again: of an attack in the library, or of a prompt in a prompt set. */
  readonly sharedId: string | undefined;
  /** The text that was sent, or the goal. */
  readonly text: string | undefined;
  /** The same text in another group is another attack. */
  readonly group: string;
  readonly outcome: Outcome;
  /** The record of the service. */
  readonly row: JsonObject;
}

/** More than any scan has. A list that is cut would turn missing attacks into false differences. */
const MAX_ROWS = 100_000;

/** Lists a type's records, and converts one of them. */
interface Family {
  readonly command: string;
  /** Noun of a record. */
  readonly noun: string;
  readonly rowsOf: (answer: CommandOutput) => readonly JsonObject[];
  /** The count of the scan is one of its records. */
  readonly isCounted: boolean;
  readonly convert: (row: JsonObject) => Omit<Tested, 'outcome' | 'row'>;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  STATIC: {
    command: 'aisec-redteam-report-attacks-list',
    noun: 'attack',
    rowsOf: ({ raw }) => objectsOf(raw),
    isCounted: true,
    convert: (row) => ({
      ...attackOf(row),
      id: textOf(row['uuid']),
      sharedId: textOf(row['prompt_id']),
      text: textOf(row['prompt']),
      group: asText([row['category'], row['sub_category']]),
    }),
  },
  DYNAMIC: {
    command: 'aisec-redteam-report-goals-list',
    noun: 'goal',
    rowsOf: ({ raw }) => objectsOf(raw),
    // The scan counts the streams of its goals.
    isCounted: false,
    convert: (row) => ({
      ...goalOf(row),
      where: [worded(textOf(row['goal_type']) ?? '')].filter((part) => part !== ''),
      // The service writes new goals for each scan.
      ...{ id: textOf(row['uuid']), sharedId: undefined, text: textOf(row['goal']), group: '' },
    }),
  },
  CUSTOM: {
    command: 'aisec-redteam-custom-attacks-list',
    noun: 'prompt',
    rowsOf: ({ record }) => objectsOf(record['attacks']),
    isCounted: true,
    convert: (row) => ({
      ...promptOf(row),
      id: textOf(row['attack_id']),
      sharedId: textOf(row['prompt_id']),
      text: textOf(row['prompt_text']),
      group: '',
    }),
  },
};

/** The attacks, goals or prompts of a scan. */
export interface TestedList {
  readonly tested: readonly Tested[];
  /** Noun of a record: attack, goal or prompt. */
  readonly noun: string;
  /** Why the list cannot be complete, in one sentence. */
  readonly gap: string | undefined;
}

/**
 * Reads all attacks, goals or prompts of a completed scan, and checks that none can be missing.
 * @param job output of `aisec-redteam-scan-get`
 * @throws UsageError for a type of scan without such a list; AisecError of every kind
 */
export async function readTested(job: JsonObject, ask: RunCommand): Promise<TestedList> {
  const type = asText(job['job_type']);
  const family = Object.hasOwn(FAMILIES, type) ? FAMILIES[type] : undefined;
  if (family === undefined) throw new UsageError(`A red-team scan of the type ${type} cannot be compared.`);
  const answer = await ask(family.command, { job_id: asText(job['uuid']), limit: String(MAX_ROWS) });
  const tested = family.rowsOf(answer).map((row) => ({ ...family.convert(row), outcome: outcomeOf(row), row }));
  return { tested, noun: family.noun, gap: gapIn(answer, tested, job, family) };
}

/**
 * Reads all attacks, goals or prompts of a completed scan, for a comparison.
 * @throws ServiceError if the list cannot be complete; otherwise as `readTested`
 */
export async function testedIn(job: JsonObject, ask: RunCommand): Promise<readonly Tested[]> {
  const { tested, noun, gap } = await readTested(job, ask);
  if (gap === undefined) return tested;
  throw new ServiceError(`The list of ${noun}s of the red-team scan ${asText(job['uuid'])} is not complete: ${gap}`, {
    hint: 'A comparison needs all of them: try again later.',
  });
}

function gapIn(
  { gap, incomplete }: CommandOutput,
  tested: readonly Tested[],
  { total }: JsonObject,
  { noun, isCounted }: Family,
): string | undefined {
  if (gap !== undefined) return gap;
  if (incomplete === true || tested.length >= MAX_ROWS) return `It is cut after ${plural(tested.length, noun)}.`;
  const expected = numberOf(total) ?? 0;
  if (isCounted && tested.length < expected)
    return `The service lists ${grouped(tested.length)} of ${plural(expected, noun)}.`;
  if (tested.length === 0) return expected > 0 ? `The service lists no ${noun}s.` : undefined;
  const ids = tested.map(({ id }) => id).filter((id) => id !== undefined);
  return new Set(ids).size < ids.length ? `The service lists one ${noun} twice.` : undefined;
}

/** A scan records a goal that failed with an error as not achieved. */
function outcomeOf({ threat, error }: JsonObject): Outcome {
  if (threat === true) return 'successful';
  return threat === false && error !== true ? 'withstood' : 'unanswered';
}
