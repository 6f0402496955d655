/** Replaces names and prefixes of ids by ids before a command runs: for a person at a terminal, never in a pipe or a playbook. */
import type { Argument, Lookup } from '../../../arguments/builders.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import { lookUp, parsePath } from '../../../arguments/references.ts';
import { didYouMean } from '../../../arguments/suggest.ts';
import { CancelledError, ConfigurationError, toAisecError, UsageError } from '../../../core/errors.ts';
import { type Command, findCommand, type Registry } from '../../../engine/command.ts';
import { withValues } from '../input/invocation.ts';
import { sanitize } from '../render/sanitize.ts';
import { declaredName } from './aliases.ts';
import { type KnownValue, MAX_VALUES, valuesOf } from './known-values.ts';

export interface NameSources {
  readonly registry: Registry;
  readonly context: Readonly<Record<string, unknown>>;
  /** Lists the candidates: one list command. */
  readonly list: (lookup: Lookup) => Promise<readonly KnownValue[]>;
  /** Notes which id replaces a name. */
  readonly note: (text: string) => void;
}

const FULL_ID = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{24}|\d{8,})$/i;
const MIN_PREFIX_LENGTH = 4;
const MAX_CANDIDATES = 10;
const SHORT_ID = 13;

/**
 * Replaces names by ids, and short names of arguments by declared ones.
 * @throws UsageError for a name or prefix that several records have
 */
export async function resolveNames(
  invocation: Invocation,
  command: Command,
  sources: NameSources,
): Promise<Invocation> {
  const { args } = command;
  const listed = new Map<string, Promise<readonly KnownValue[]>>();
  const list = (lookup: Lookup) => {
    const found = listed.get(lookup.command) ?? sources.list(lookup);
    listed.set(lookup.command, found);
    return found;
  };
  const pairs = invocation.pairs.map(({ name, value }) => ({ name: declaredName(name, args), value }));
  return withValues({ ...invocation, pairs }, command, (name, value) =>
    resolveValue(name, value, args[name], { ...sources, list }),
  );
}

async function resolveValue(
  name: string,
  value: unknown,
  argument: Argument | undefined,
  sources: NameSources,
): Promise<unknown> {
  const lookup = argument?.lookup;
  if (lookup === undefined || lookup.takes === 'name' || typeof value !== 'string') return value;
  const text = value.trim();
  if (argument?.kind !== 'list') return resolveOne(name, text, lookup, sources).then((id) => id ?? value);
  if (text.startsWith('[')) return value;
  const ids: string[] = [];
  for (const item of text.split(',').map((each) => each.trim()))
    ids.push((await resolveOne(name, item, lookup, sources)) ?? item);
  return ids.join(',');
}

/** @returns the id, or undefined for a value to send as typed */
async function resolveOne(
  name: string,
  text: string,
  lookup: Lookup,
  sources: NameSources,
): Promise<string | undefined> {
  if (text === '' || text === 'null' || FULL_ID.test(text) || text.includes('${')) return undefined;
  const fromContext = await contextValues(lookup, sources);
  const found = single(name, text, lookup, fromContext) ?? (await listed(name, text, lookup, sources));
  if (found === undefined) return undefined;
  if (found.id !== text) sources.note(`note: ${name} is ${sanitize(labelOf(found))}`);
  return found.id;
}

async function listed(
  name: string,
  text: string,
  lookup: Lookup,
  { list, note }: NameSources,
): Promise<KnownValue | undefined> {
  let values: readonly KnownValue[];
  try {
    values = await list(lookup);
  } catch (thrown) {
    if (thrown instanceof CancelledError || thrown instanceof ConfigurationError) throw thrown;
    note(`note: ${lookup.command} could not look up ${name}: ${sanitize(toAisecError(thrown).message)}`);
    return undefined;
  }
  const found = single(name, text, lookup, values);
  if (found === undefined)
    note(`note: ${name}: ${lookup.command} shows no "${text.slice(0, 60)}"${nearName(text, values)}`);
  // A record beyond the end of the list could have the same name or prefix.
  if (found === undefined || found.id === text || values.length < MAX_VALUES) return found;
  throw new UsageError(`${name}: only the first ${MAX_VALUES} were searched for "${text.slice(0, 60)}".`, {
    hint: `Give the full id: ${found.id} is one that fits.`,
  });
}

function nearName(text: string, values: readonly KnownValue[]): string {
  const near = values.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).map(({ name }) => name);
  const hint =
    near.length === 1
      ? `Did you mean "${near[0]}"?`
      : didYouMean(
          text,
          values.map(({ name }) => name),
        );
  return hint === undefined ? '.' : `. ${sanitize(hint)}`;
}

async function contextValues(lookup: Lookup, { registry, context }: NameSources): Promise<KnownValue[]> {
  const path = (await findCommand(registry, lookup.command))?.output.record.path ?? '';
  const steps = parsePath(path);
  return steps === undefined ? [] : valuesOf(lookUp(context, steps), lookup);
}

/** Finds the value that the text means. @throws UsageError if there are several */
function single(
  name: string,
  text: string,
  { command }: Lookup,
  values: readonly KnownValue[],
): KnownValue | undefined {
  const exact = values.find(({ id }) => id === text);
  if (exact !== undefined) return exact;
  const named = values.filter((value) => value.name === text);
  const begun = (value: KnownValue) => value.id.toLowerCase().startsWith(text.toLowerCase());
  // A name counts before a prefix, because it was typed to its end.
  const fits = named.length > 0 ? named : text.length < MIN_PREFIX_LENGTH ? [] : values.filter(begun);
  if (fits.length < 2) return fits[0];
  const shown = fits.slice(0, MAX_CANDIDATES).map((value) => sanitize(labelOf(value)).replace(/\s+/g, ' '));
  const more = fits.length > shown.length ? `, and ${fits.length - shown.length} more` : '';
  throw new UsageError(`${name}: ${fits.length} records fit "${text.slice(0, 60)}".`, {
    hint: `Give more of the id: ${shown.join(', ')}${more}. Full ids: !${command} --wide`,
  });
}

function labelOf({ id, name }: KnownValue): string {
  return name === '' ? id : `${id.slice(0, SHORT_ID).replace(/-$/, '')} (${name})`;
}
