/** Replaces values of invocations. */
import type { Invocation } from '../../runtime/arguments/lexer.ts';
import type { Command } from '../../runtime/engine/command.ts';

/** Escapes references: the text is data, so nothing in it is replaced. */
export function withoutReferences(text: string): string {
  return text.replace(/(\\*)\$\{/g, (_, backslashes: string) => `${backslashes}${backslashes}\\\${`);
}

/** Replaces each value, in order; a value without a name belongs to the positional argument. */
export async function withValues(
  { name: command, pairs, positionals, ...rest }: Invocation,
  { args }: Pick<Command, 'args'>,
  replaced: (name: string, value: unknown) => Promise<unknown>,
): Promise<Invocation> {
  const named: Invocation['pairs'][number][] = [];
  for (const { name, value } of pairs) named.push({ name, value: await replaced(name, value) });
  const unnamed = Object.keys(args).find((name) => args[name]?.positional === true);
  const [first, ...others] = positionals;
  if (first === undefined || unnamed === undefined) return { ...rest, name: command, pairs: named, positionals };
  return { ...rest, name: command, pairs: named, positionals: [String(await replaced(unnamed, first)), ...others] };
}

/** Gives the unnamed value the name of its argument. */
export function withNamedValues(invocation: Invocation, { args }: Pick<Command, 'args'>): Invocation {
  const { name, pairs, positionals } = invocation;
  const unnamed = Object.keys(args).find((argument) => args[argument]?.positional === true);
  const [first, ...others] = positionals;
  if (first === undefined || unnamed === undefined) return invocation;
  return { name, pairs: [{ name: unnamed, value: first }, ...pairs], positionals: others };
}
