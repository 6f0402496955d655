/** Reads a whole prompt or tool call, then lets it pass or blocks it. */
import { UsageError } from '../../core/errors.ts';
import { isJson } from '../../core/json.ts';
import type { Decision, Guard, GuardContext } from '../../guard/guard.ts';
import { grouped } from '../../text/numbers.ts';
import { utf8Length } from '../../text/utf8.ts';
import type { Arrival } from './arrivals.ts';
import type { Subject } from './request.ts';

/** The most that one scan takes, in bytes; source: `docs/wire.md`. */
const MAX_BYTES = 2_097_152;

/** Reads a text to its end. @throws UsageError if it is too long for one scan */
export async function wholeText(arriving: AsyncIterable<Arrival>): Promise<string> {
  const pieces: string[] = [];
  let bytes = 0;
  for await (const arrival of arriving) {
    if (arrival === 'pause') continue;
    pieces.push(arrival.text);
    bytes += utf8Length(arrival.text);
    if (bytes > MAX_BYTES)
      throw new UsageError(`Standard input is longer than one scan takes: ${grouped(MAX_BYTES)} bytes.`);
  }
  return pieces.join('');
}

/** Decides about a whole text. @throws UsageError for the input of a tool that is not JSON */
export function decideWhole(
  text: string,
  guard: Guard,
  subject: Exclude<Subject, { kind: 'output' }>,
  context: GuardContext,
): Promise<Decision> {
  if (subject.kind === 'input') return guard.input(text, context);
  const { server, tool, isResult } = subject;
  if (!isResult) checkJson(text);
  // The guard decodes it, and refuses what readers disagree about, such as two members with the same name.
  return guard.tool({ server, tool, ...(isResult ? { output: text } : { input: text }) }, context);
}

function checkJson(text: string): void {
  if (isJson(text)) return;
  throw new UsageError('Standard input must be JSON: the input of a tool.', {
    hint: 'For the result of a call, which may be any text, add --result.',
  });
}
