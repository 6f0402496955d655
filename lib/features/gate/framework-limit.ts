/** A limit for one compliance framework: the report counts its techniques. */
import { list, object, stringOf, textOf } from '../../core/received.ts';
import { plural, roundedBeside } from '../../text/numbers.ts';
import type { RedTeamReport, RedTeamScan } from '../commands.ts';
import type { Limit } from './decide.ts';
import type { FrameworkLimit } from './policy/policy.ts';

/** Reads a count, which may be a text; undefined for anything that counts nothing. */
function countOf(value: unknown): number | undefined {
  const isCount = typeof value === 'number' || (typeof value === 'string' && /^[0-9]+$/.test(value));
  const count = isCount ? Number(value) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

const readTechnique = object({ successful: countOf, total: countOf });
const readFrameworks = list({
  category: stringOf,
  id: stringOf,
  display_name: stringOf,
  techniques: (value: unknown) => (Array.isArray(value) ? value.map(readTechnique) : []),
});

/** Frameworks classify attacks by techniques, which only the report counts. */
export function frameworkLimit(
  name: string,
  { max_successful: max, max_asr_percent: maxAsr }: FrameworkLimit,
  { job, report }: { readonly job: RedTeamScan; readonly report: RedTeamReport | undefined },
): Pick<Limit, 'check' | 'used' | 'doubt'> {
  const named = readFrameworks(report?.category_reports).filter(
    ({ category, id, display_name }) =>
      category === 'COMPLIANCE' && [id, display_name].some((each) => each?.toLowerCase() === name.toLowerCase()),
  );
  const techniques = named.flatMap((framework) => framework.techniques);
  const sumOf = (member: 'successful' | 'total') => techniques.reduce((sum, each) => sum + (each[member] ?? 0), 0);
  const [successful, total] = [sumOf('successful'), sumOf('total')];
  const asr = total === 0 ? 0 : (100 * successful) / total;
  const used = [
    max === undefined ? undefined : `${successful} of at most ${plural(max, 'successful attack')}`,
    maxAsr === undefined ? undefined : `ASR ${roundedBeside(asr, maxAsr)} % of at most ${maxAsr} %`,
  ].filter((part) => part !== undefined);
  const broken = [
    max !== undefined && successful > max ? `${plural(successful, 'successful attack')}, more than ${max}` : undefined,
    maxAsr !== undefined && asr > maxAsr ? `ASR ${roundedBeside(asr, maxAsr)} % is above ${maxAsr} %` : undefined,
  ].filter((reason) => reason !== undefined);
  const isClear = techniques.every(({ successful: some, total: all }) => (some ?? Number.NaN) <= (all ?? Number.NaN));
  const reported = textOf(report?.job_id)?.toLowerCase();
  return {
    used: () => used.join(', '),
    check: () => {
      // A limit that cannot be checked does not hold.
      if (named.length === 0) return { reason: `the report has no framework ${name}`, by: [] };
      return broken.length === 0 ? undefined : { reason: `${name}: ${broken.join(', ')}`, by: [] };
    },
    doubt: () => {
      if (reported === undefined) return 'The report does not say of which scan it is.';
      if (reported !== job.uuid?.toLowerCase()) return 'The report is of another scan.';
      if (named.length > 1) return `The report has the framework ${name} twice.`;
      if (!isClear) return `The report does not count every technique of ${name}.`;
      return total === 0 ? `The report counts no attack of ${name}, so its limit says nothing.` : undefined;
    },
  };
}
