/** Lets a host watch every command of a client, wherever the command comes from. */
import type { Invocation } from '../arguments/lexer.ts';
import { resolveReferences } from '../arguments/references.ts';
import type { Command } from '../engine/command.ts';
import type { Result } from '../output/result.ts';
import { setOwn } from '../text/own.ts';
import type { InvocationOptions } from './invocation.ts';
import type { Limits, WatchedCall } from './types.ts';

/** One invocation, with its options and the context of its references. */
export interface Watchable {
  readonly command: Command | undefined;
  readonly invocation: Invocation;
  readonly call: InvocationOptions;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

/** Runs a command inside the watches of its limits; the latest limits are innermost. */
export function watched(
  limits: readonly Limits[],
  { command, invocation, call, context }: Watchable,
  run: () => Promise<Result>,
): Promise<Result> {
  const watches = limits.flatMap(({ watch }) => (watch === undefined ? [] : [watch]));
  if (watches.length === 0) return run();
  const seen: WatchedCall = {
    name: invocation.name,
    command,
    args: argumentsOf(invocation, context),
    dryRun: call.dryRun === true,
    resumes: call.host?.timeSlice?.checkpoint !== undefined,
  };
  return watches.reduceRight((next, watch) => () => watch(seen, next), run)();
}

/** Key for a value without a name; no argument has this name. */
const POSITIONAL = '(positional)';

function argumentsOf({ pairs, positionals }: Invocation, context: unknown): Readonly<Record<string, unknown>> {
  const args: Record<string, unknown> = {};
  for (const { name, value } of pairs) setOwn(args, name, context === undefined ? value : identified(value, context));
  if (positionals.length > 0) setOwn(args, POSITIONAL, positionals.join(' '));
  return args;
}

const IDENTIFIER = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{1,15})$/i;

/** Resolves references to identifiers only: other values of the context may be secrets or prompts. */
function identified(value: unknown, context: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('${')) return value;
  const found = resolveReferences(value, context, () => undefined);
  return (typeof found === 'string' || typeof found === 'number') && IDENTIFIER.test(String(found)) ? found : value;
}
