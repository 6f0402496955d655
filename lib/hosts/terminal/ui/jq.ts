/** Evaluates jq expressions. The package contains the real jq, compiled to WebAssembly, and is loaded on first use. */
import { UsageError } from '../../../core/errors.ts';
import { jsonText } from './json.ts';
import { sanitize } from './sanitize.ts';

const HINT = 'See the jq manual for the language; quote the expression for the shell.';

/** Matches values that jq quotes in its messages, because the result may contain a secret. */
const VALUES = [
  /\b(string|number|object|array|boolean|null) \(.*?\)(?=$|[ ,](?:has|cannot|and|is|can|not)\b)/g,
  /()\s*\(while parsing .*/g,
  /^(date) ".*?"(?= does not match)/g,
];

export type Jq = Awaited<ReturnType<typeof openJq>>;

/** Compiles an expression. @param indented whether results are for people @throws UsageError for a syntax error */
export async function openJq(expression: string, indented: boolean) {
  const { raw: run } = await import('jq-wasm/inline');
  const raw = (...given: Parameters<typeof run>) =>
    run(...given).catch(() => {
      throw new UsageError('jq: the expression needs too much memory.', { hint: HINT });
    });
  // Without input, jq only checks the syntax.
  const checked = await raw('', expression, ['-c']);
  if (checked.exitCode !== 0) throw failure(checked.stderr);
  return {
    /**
     * Evaluates the expression on each value, in order, and prints the results. @throws UsageError with jq's message,
     * after printing the results before the failure
     */
    evaluate: async (values: readonly unknown[], print: (text: string) => void) => {
      const input = values.map((value) => JSON.stringify(value ?? null)).join('\n');
      const { stdout, stderr, exitCode } = await raw(input, expression, ['-c']);
      for (const line of stdout.split('\n')) if (line !== '') print(shownAs(line, indented));
      if (exitCode !== 0) throw failure(stderr);
    },
  };
}

function shownAs(text: string, indented: boolean): string {
  if (text.startsWith('"')) {
    const value = String(JSON.parse(text));
    return indented ? sanitize(value) : value;
  }
  return indented ? jsonText(JSON.parse(text), true) : text;
}

/** @param message several lines, with the source and the number of errors */
function failure(message: string): UsageError {
  const [first = ''] = message
    .split('\n')
    .map((line) =>
      line
        .replace(/^jq: /, '')
        .replace(/^error(?: \(at [^)]*\))? \(not a string\): .*$/, 'the expression raised an error that is not a text')
        .replace(/^error(?: \(at [^)]*\))?: /, '')
        .trim(),
    )
    .filter((line) => line !== '');
  const text = first.replace(/ \(Unix shell quoting issues\?\)| at <top-level>, line \d+:?$/g, '');
  const safe = VALUES.reduce((shown, value) => shown.replace(value, '$1'), text).slice(0, 300);
  return new UsageError(`jq: ${safe === '' ? 'failed' : safe}.`, { hint: HINT });
}
