/**
 * Reads every attack, goal or prompt of a red-team scan with its outcome, in one form for all scan types, and checks
 * that the list is reliable.
 */
import { ServiceError, UsageError } from '../../core/errors.ts';
import { asText, objectsOf } from '../../core/json.ts';
import { numberOf } from '../../core/received.ts';
import { grouped, plural } from '../../core/text/numbers.ts';
import type { CommandOutput, RunCommand } from '../../runtime/engine/command-port.ts';
import { isContradicted, isPercent, SLACK } from './chance.ts';
import { attackOf, goalOf, sentPrompt } from './collect/findings.ts';
import { type RedTeamScan, runCommand } from './commands.ts';
import { worded } from './format.ts';
import { type Attack, type AttackRow, readAttack } from './report-data.ts';

/** Outcome of an attack; unanswered: no attempt got a response, so the outcome is unknown. */
export type Outcome = 'successful' | 'withstood' | 'unanswered';

export interface Tested extends Attack {
  readonly id: string | undefined;
  /** Identifier that stays the same in later scans: of an attack in the library, or of a prompt in a prompt set. */
  readonly sharedId: string | undefined;
  /** The text that was sent, or the goal. */
  readonly text: string | undefined;
  /** The same text in another group is a different attack. */
  readonly group: string;
  readonly outcome: Outcome;
  readonly row: AttackRow;
}

type Listed = Pick<CommandOutput, 'gap' | 'incomplete' | 'raw'>;

interface Family {
  readonly noun: string;
  readonly list: (run: RunCommand, args: { readonly job_id: string; readonly limit: number }) => Promise<Listed>;
  /** Whether the count of the scan is a count of these records. */
  readonly isCounted: boolean;
  readonly convert: (row: AttackRow) => Omit<Tested, 'outcome' | 'row'>;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  STATIC: {
    noun: 'attack',
    list: (run, args) => runCommand(run, 'aisec-redteam-report-attacks-list', args),
    isCounted: true,
    convert: (row) => ({
      ...attackOf(row),
      ...{ id: row.uuid, sharedId: row.prompt_id, text: row.prompt },
      group: asText([row.category, row.sub_category]),
    }),
  },
  DYNAMIC: {
    noun: 'goal',
    list: (run, args) => runCommand(run, 'aisec-redteam-report-goals-list', args),
    // The scan counts the streams of its goals.
    isCounted: false,
    convert: (row) => ({
      ...goalOf(row),
      where: [worded(row.goal_type ?? '')].filter((part) => part !== ''),
      // The service writes new goals for each scan.
      ...{ id: row.uuid, sharedId: undefined, text: row.goal, group: '' },
    }),
  },
  CUSTOM: {
    noun: 'prompt',
    list: async (run, args) => {
      const { record, ...output } = await runCommand(run, 'aisec-redteam-custom-attacks-list', args);
      return { ...output, raw: record.attacks };
    },
    isCounted: true,
    convert: (row) => ({
      ...sentPrompt(row),
      ...{ id: row.attack_id, sharedId: row.prompt_id, text: row.prompt_text, group: '' },
    }),
  },
};

/**
 * Everything that a scan tested; `gap` says why the list cannot be complete, `contradiction` why the rate does not
 * match it.
 */
export type TestedList = Awaited<ReturnType<typeof readTested>>;

/**
 * Reads all attacks, goals or prompts of a completed scan, and checks that none can be missing.
 * @throws UsageError for a type of scan without such a list; AisecError of every kind
 */
export async function readTested(job: CountedScan, run: RunCommand) {
  const type = asText(job.job_type);
  const family = Object.hasOwn(FAMILIES, type) ? FAMILIES[type] : undefined;
  if (family === undefined) throw new UsageError(`A red-team scan of the type ${type} cannot be compared.`);
  const listed = await family.list(run, { job_id: asText(job.uuid), limit: MAX_ROWS });
  const rows = objectsOf(listed.raw).map(readAttack);
  const tested: readonly Tested[] = rows.map((row) => ({ ...family.convert(row), outcome: outcomeOf(row), row }));
  const { noun, isCounted } = family;
  const entries = Array.isArray(listed.raw) ? listed.raw.length : 0;
  const gap = gapIn({ ...listed, entries, tested, noun, isCounted }, job);
  const contradiction = (subject: string) => contradictionIn({ tested, noun, isCounted }, job, subject);
  return { tested, noun, gap, contradiction };
}

/**
 * Reads all attacks, goals or prompts of a completed scan, for a comparison.
 * @throws ServiceError if the list cannot be complete; otherwise as `readTested`
 */
export async function testedIn(job: RedTeamScan, run: RunCommand): Promise<readonly Tested[]> {
  const { tested, noun, gap, contradiction } = await readTested(job, run);
  const subject = `The red-team scan ${asText(job.uuid)}`;
  const why =
    gap === undefined
      ? contradiction(subject)
      : `The list of ${noun}s of the red-team scan ${asText(job.uuid)} is not complete: ${gap}`;
  if (why === undefined) return tested;
  throw new ServiceError(why, { hint: 'A comparison needs all of them: try again later.' });
}

/**
 * Returns the outcome of an attack. A success counts whatever else its row says, but an attack counts as withstood only
 * if it ran to the end: a scan records a goal that failed with an error as not achieved.
 */
function outcomeOf({ threat, error, status }: AttackRow): Outcome {
  if (threat === true) return 'successful';
  // Goals and prompts have no status.
  const hasEnded = status === undefined || status.toUpperCase() === 'COMPLETED';
  return threat === false && hasEnded && (error ?? false) === false ? 'withstood' : 'unanswered';
}

/** More than any scan has. In a truncated list, missing attacks would look like differences. */
export const MAX_ROWS = 100_000;

/** The members by which a list is matched to its scan. */
type CountedScan = Partial<Pick<RedTeamScan, 'uuid' | 'total' | 'asr'>> & { readonly job_type?: unknown };

/** An attack, a goal or a prompt of the list. */
interface Row extends Pick<Attack, 'asr' | 'markedSafe'> {
  readonly id: string | undefined;
  readonly outcome: 'successful' | 'withstood' | 'unanswered';
  readonly row: AttackRow;
}

/** A list as it was read. */
export interface TestedRows {
  /** Why the service's pages do not make a whole list. */
  readonly gap?: string | undefined;
  readonly incomplete?: boolean | undefined;
  /** Number of entries, readable or not. */
  readonly entries: number;
  readonly tested: readonly Row[];
  readonly noun: string;
  /** The scan's count is a count of these entries. A dynamic scan counts streams, and lists goals. */
  readonly isCounted: boolean;
}

/** Explains in one sentence why a list is no evidence of what a completed scan found. */
export function gapIn(rows: TestedRows, job: CountedScan): string | undefined {
  return rows.gap ?? missingRows(rows, job) ?? strayRows(rows, job);
}

function missingRows(
  { incomplete, entries, tested, noun, isCounted }: TestedRows,
  { total }: CountedScan,
): string | undefined {
  if (incomplete === true || tested.length >= MAX_ROWS) return `It is cut after ${plural(tested.length, noun)}.`;
  if (tested.length < entries)
    return `It has ${grouped(entries - tested.length)} unreadable of ${plural(entries, noun)}.`;
  const expected = numberOf(total);
  if (expected === undefined) return undefined;
  if (isCounted && tested.length < expected)
    return `The service lists ${grouped(tested.length)} of ${plural(expected, noun)}.`;
  if (tested.length === 0) return expected > 0 ? `The service lists no ${noun}s.` : undefined;
  return expected > 0
    ? undefined
    : `The scan counts ${expected}, and the service lists ${plural(tested.length, noun)}.`;
}

function strayRows({ tested, noun }: TestedRows, { uuid }: CountedScan): string | undefined {
  const own = asText(uuid).toLowerCase();
  const strays = tested.filter(({ row: { job_id: job } }) => job !== undefined && job.toLowerCase() !== own);
  if (uuid !== undefined && strays.length > 0)
    return `The service lists ${plural(strays.length, noun)} of another scan.`;
  const ids = tested.map(({ id }) => id).filter((id) => id !== undefined);
  return new Set(ids).size < ids.length ? `The service lists one ${noun} twice.` : undefined;
}

/**
 * Explains that a success rate is impossible, or that the list says something else.
 * @param subject begins the sentence
 */
export function contradictionIn(
  { tested, noun, isCounted }: Pick<TestedRows, 'tested' | 'noun' | 'isCounted'>,
  { asr }: CountedScan,
  subject: string,
): string | undefined {
  const rate = numberOf(asr);
  if (rate === undefined) return undefined;
  if (isContradicted(rate)) return `${subject} has an impossible success rate: ${rate} %.`;
  const answered = tested.filter(({ outcome }) => outcome !== 'unanswered');
  const successful = answered.filter(({ outcome }) => outcome === 'successful');
  // People mark attacks as safe afterwards: whether the rate counts these is unknown.
  const sure = successful.filter(({ markedSafe }) => !markedSafe);
  const counted = { hits: successful.length, sure: sure.length, trials: answered.length, isSame: isCounted };
  const least = sure.reduce((sum, { asr: own }) => sum + (isPercent(own) ? own : 0), 0) / answered.length;
  if (!isContradicted(rate, counted) && !(isCounted && rate * SLACK < least)) return undefined;
  const found = `${grouped(successful.length)} successful of ${plural(answered.length, noun)}`;
  return `${subject} has a success rate of ${rate} %, which its list contradicts: ${found}.`;
}
