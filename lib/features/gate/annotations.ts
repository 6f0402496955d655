/** Writes a verdict as workflow commands, which GitHub Actions shows beside the code. */
import { plainText } from './finding.ts';
import type { Verdict } from './verdict.ts';

/** The runner shows no more of one step. */
const MAX_SHOWN = 10;

/** Renders one line for each finding that broke a limit, and one for the verdict. */
export function annotations({ findings, failed, unfinished, summary, subject }: Verdict): string {
  const failures = findings.filter(({ level }) => level === 'failure').slice(0, MAX_SHOWN - 1);
  const verdict = failed || unfinished !== undefined ? 'error' : 'notice';
  return [
    command(verdict, { title: `aisec gate ${subject}` }, unfinished ?? summary),
    ...failures.map(({ message, title, place: { uri, line } }) =>
      command('error', { file: uri, ...(line === undefined ? {} : { line: String(line) }), title }, message),
    ),
  ].join('\n');
}

function command(name: string, properties: Readonly<Record<string, string>>, message: string): string {
  const list = Object.entries(properties).map(
    ([key, value]) => `${key}=${escaped(value).replace(/:/g, '%3A').replace(/,/g, '%2C')}`,
  );
  return `::${name} ${list.join(',')}::${escaped(message)}`;
}

/** A line end would begin another command. */
function escaped(text: string): string {
  return plainText(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}
