/** Lists that must be empty: a failed test prints each finding on its own line. */

/** Number of findings that a reader checks before running the test again. */
const MAX_LINES = 50;
const MAX_LENGTH = 400;

/**
 * Expects a list to be empty.
 *
 * @param found texts such as `aisec-x: leaked CANARY in stderr`; requests and other values are abbreviated
 * @param what the findings, in the plural, such as `commands that show a secret`
 * @throws an error with one line for each finding, at the place of the call
 */
export function expectNone(found: unknown, what: string): void {
  if (Array.isArray(found) && found.length === 0) return;
  const error = new Error(Array.isArray(found) ? report(found, what) : `${what}: no list, but ${lineOf(found)}`);
  Error.captureStackTrace(error, expectNone);
  throw error;
}

function report(found: readonly unknown[], what: string): string {
  const lines = found.slice(0, MAX_LINES).map((finding) => `  ${lineOf(finding)}`);
  const rest = found.length > MAX_LINES ? [`  ... and ${found.length - MAX_LINES} more`] : [];
  return [`expected no ${what}, found ${found.length}:`, ...lines, ...rest].join('\n');
}

function lineOf(finding: unknown): string {
  const line = wordsOf(finding).replace(/\s*\n\s*/g, ' ');
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}...` : line;
}

function wordsOf(finding: unknown): string {
  if (typeof finding === 'string') return finding === '' ? '(an empty text)' : finding;
  if (finding instanceof Error) return `${finding.name}: ${finding.message}`;
  const { method, url, body } = Object(finding) as Record<string, unknown>;
  if (typeof method === 'string' && typeof url === 'string') {
    return `${method} ${url}${typeof body === 'string' && body !== '' ? ` ${body}` : ''}`;
  }
  return finding === undefined ? 'undefined' : JSON.stringify(finding);
}
