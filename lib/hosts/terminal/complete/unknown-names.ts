/** Suggests the near name after the service said that a named record does not exist: one list call, where it is allowed. */
import type { Lookup } from '../../../arguments/builders.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import { type AisecError, NotFoundError, RefusedError } from '../../../core/errors.ts';
import type { Command } from '../../../engine/command.ts';
import { withNamedValues } from '../input/invocation.ts';
import type { Listed } from './known-values.ts';
import { nearName } from './match-name.ts';

/**
 * Returns the hint of a failed command with the nearest names in front of it.
 * @param list lists the records; if it fails, there is no suggestion
 */
export async function withNearNames(
  error: AisecError,
  { command, invocation }: { readonly command: Command; readonly invocation: Invocation },
  list: (lookup: Lookup) => Promise<Listed>,
): Promise<string | undefined> {
  if (!(error instanceof NotFoundError || error instanceof RefusedError)) return error.hint;
  const near: string[] = [];
  for (const { name, value } of withNamedValues(invocation, command).pairs) {
    const lookup = command.args[name]?.lookup;
    if (lookup?.takes !== 'name' || typeof value !== 'string' || value === '' || value.includes('${')) continue;
    const values = await list(lookup).then(
      (listed) => listed.values,
      () => [],
    );
    const found = values.some((each) => each.name === value) ? undefined : nearName(value, values);
    if (found !== undefined) near.push(`${name}: ${found}`);
  }
  return near.length === 0 ? error.hint : [...near, error.hint].filter((part) => part !== undefined).join(' ');
}
