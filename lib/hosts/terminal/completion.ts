/** What the tab key offers in a war room. */
import { GENERIC_NAMES } from '../../arguments/generic.ts';
import { lookUp, parsePath } from '../../arguments/references.ts';
import type { ArgumentInfo, Catalogue } from '../../manifest/catalogue.ts';

/** What fits, and the text that it takes the place of. */
export type Completion = [fits: string[], replaced: string];

const MOST_INDEXES = 20;

/**
 * @param line what stands before the cursor
 * @param builtIns words of the war room itself, and what follows each
 */
export function complete(
  line: string,
  catalogue: Catalogue,
  context: Readonly<Record<string, unknown>>,
  builtIns: Readonly<Record<string, 'command' | 'path' | undefined>>,
): Completion {
  const reference = /\$\{([^{}]*)$/.exec(line)?.[1];
  if (reference !== undefined) return paths(reference, context, '}');
  const words = line.split(/\s+/).filter((word, index, all) => word !== '' || index === all.length - 1);
  const [first = ''] = words;
  const last = words.at(-1) ?? '';
  const names = catalogue.map(({ name }) => name);
  if (words.length <= 1) return fitting([...names.map((name) => `!${name} `), ...Object.keys(builtIns)], last);
  if (Object.hasOwn(builtIns, first)) {
    if (builtIns[first] === 'command') return fitting(names, last);
    return builtIns[first] === 'path' ? paths(last, context, '') : [[], last];
  }
  const command = catalogue.find(({ name }) => name === first.replace(/^!/, ''));
  return command === undefined ? [[], last] : argumentsOf(command.arguments, words.slice(1, -1), last);
}

function argumentsOf(known: readonly ArgumentInfo[], typed: readonly string[], last: string): Completion {
  const at = last.indexOf('=');
  if (at >= 0)
    return values(
      known.find(({ name }) => name === last.slice(0, at)),
      last.slice(at + 1),
    );
  const given = new Set(typed.map((word) => word.split('=')[0] ?? ''));
  const free = (name: string) => !given.has(name);
  const required = known.filter((argument) => argument.required).map(({ name }) => name);
  const optional = known.filter((argument) => !argument.required).map(({ name }) => name);
  const missing = required.filter(free);
  // What the command cannot do without comes first.
  if (last === '' && missing.length > 0)
    return fitting(
      missing.map((name) => `${name}=`),
      last,
    );
  const generic = last === '' ? [] : GENERIC_NAMES;
  return fitting(
    [...required, ...optional, ...generic].filter(free).map((name) => `${name}=`),
    last,
  );
}

function values(argument: ArgumentInfo | undefined, typed: string): Completion {
  if (argument === undefined) return [[], typed];
  const quote = /^["'`]/.exec(typed)?.[0] ?? '';
  const begun = argument.kind === 'list' ? typed.slice(typed.lastIndexOf(',') + 1) : typed;
  const word = begun.startsWith(quote) ? begun.slice(quote.length) : begun;
  const offered =
    argument.kind === 'flag' ? ['true', 'false'] : [...(argument.choices ?? []), ...(argument.hints ?? [])];
  return fitting(
    [...new Set(offered)].map((choice) => (quote === '' ? spaced(choice) : choice)),
    word,
  );
}

function spaced(choice: string): string {
  return /\s/.test(choice) ? `"${choice}"` : choice;
}

function paths(typed: string, context: Readonly<Record<string, unknown>>, end: string): Completion {
  const cut = Math.max(typed.lastIndexOf('.'), 0);
  const parent = typed.slice(0, cut);
  const steps = parent === '' ? [] : parsePath(parent);
  const value = steps === undefined ? undefined : lookUp(context, steps);
  const dot = parent === '' ? '' : '.';
  const offered = membersOf(value).map(([name, member]) => {
    const whole = `${parent}${dot}${name}`;
    return typeof member === 'object' && member !== null ? whole : whole + end;
  });
  return fitting(offered, typed);
}

function membersOf(value: unknown): [string, unknown][] {
  if (Array.isArray(value)) return value.slice(0, MOST_INDEXES).map((item, index) => [`[${index}]`, item]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function fitting(offered: readonly string[], typed: string): Completion {
  return [offered.filter((word) => word.startsWith(typed)), typed];
}
