/** Reads every attack, goal or prompt of a red-team scan with its outcome, in one form for all types of scans. */
import { ServiceError, UsageError } from '../errors.ts';
import { asText, type JsonObject, objectsOf } from '../json.ts';
import type { RunCommand } from '../run-command.ts';
import { attackOf } from './collect-attacks.ts';
import { goalOf } from './collect-goals.ts';
import { promptOf } from './collect-prompts.ts';
import { textOf, worded } from './format.ts';
import type { Attack } from './model.ts';

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
const MOST_ROWS = 100_000;

/** Lists a type's records, and converts one of them. */
interface Family {
  readonly list: (jobId: string, ask: RunCommand) => Promise<readonly JsonObject[]>;
  readonly convert: (row: JsonObject) => Omit<Tested, 'outcome' | 'row'>;
}

const limit = String(MOST_ROWS);

const FAMILIES: Readonly<Record<string, Family>> = {
  STATIC: {
    list: async (job_id, ask) => objectsOf((await ask('aisec-redteam-report-attacks-list', { job_id, limit })).raw),
    convert: (row) => ({
      ...attackOf(row),
      id: textOf(row['uuid']),
      sharedId: textOf(row['prompt_id']),
      text: textOf(row['prompt']),
      group: asText([row['category'], row['sub_category']]),
    }),
  },
  DYNAMIC: {
    list: async (job_id, ask) => objectsOf((await ask('aisec-redteam-report-goals-list', { job_id, limit })).raw),
    convert: (row) => ({
      ...goalOf(row),
      where: [worded(textOf(row['goal_type']) ?? '')].filter((part) => part !== ''),
      // The service writes new goals for each scan.
      ...{ id: textOf(row['uuid']), sharedId: undefined, text: textOf(row['goal']), group: '' },
    }),
  },
  CUSTOM: {
    list: async (job_id, ask) =>
      objectsOf((await ask('aisec-redteam-custom-attacks-list', { job_id, limit })).record['attacks']),
    convert: (row) => ({
      ...promptOf(row),
      id: textOf(row['attack_id']),
      sharedId: textOf(row['prompt_id']),
      text: textOf(row['prompt_text']),
      group: '',
    }),
  },
};

/**
 * Reads all attacks, goals or prompts of a completed scan.
 * @param job output of `aisec-redteam-scan-get`
 * @throws UsageError for a type of scan without such a list; AisecError of every kind
 */
export async function testedIn(job: JsonObject, ask: RunCommand): Promise<readonly Tested[]> {
  const type = asText(job['job_type']);
  const family = Object.hasOwn(FAMILIES, type) ? FAMILIES[type] : undefined;
  if (family === undefined) throw new UsageError(`A red-team scan of the type ${type} cannot be compared.`);
  const rows = await family.list(asText(job['uuid']), ask);
  if (rows.length >= MOST_ROWS) {
    throw new ServiceError(`The red-team scan ${asText(job['uuid'])} has ${MOST_ROWS} attacks or more.`, {
      hint: 'A comparison needs all attacks of a scan.',
    });
  }
  return rows.map((row) => ({ ...family.convert(row), outcome: outcomeOf(row), row }));
}

/** A scan records a goal that failed with an error as not achieved. */
function outcomeOf({ threat, error }: JsonObject): Outcome {
  if (threat === true) return 'successful';
  return threat === false && error !== true ? 'withstood' : 'unanswered';
}
