/** Arguments that name the same record, one by its id and one by its name: a person gives either of them. */
import type { Lookup } from '../../../arguments/builders.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import type { Command } from '../../../engine/command.ts';
import { withNamedValues, withoutReferences } from '../input/invocation.ts';
import type { KnownValue } from './known-values.ts';

type Args = Pick<Command, 'args'>;

interface Twins {
  readonly id: string;
  readonly name: string;
  readonly lookup: Lookup;
  /** The value of the argument that is given. */
  readonly given: string;
  readonly lacks: 'id' | 'name';
}

/** Reports whether a line lacks the twin of an argument. */
export function lacksTwin(line: Invocation, command: Args): boolean {
  return twinsOf(line, command).length > 0;
}

/** Gives the value of a name to a missing id, which is then looked up. */
export function withMissingIds(line: Invocation, command: Args): Invocation {
  const lacking = twinsOf(line, command).filter(({ lacks }) => lacks === 'id');
  const others = line.pairs.filter(({ name }) => !lacking.some(({ id }) => id === name));
  return { ...line, pairs: [...others, ...lacking.map(({ id, given }) => ({ name: id, value: given }))] };
}

/** Adds missing names of records whose id is known. @param find finds the record in the context, or in its list */
export async function withMissingNames(
  line: Invocation,
  command: Args,
  find: (lookup: Lookup, isWanted: (record: KnownValue) => boolean) => Promise<KnownValue | undefined>,
): Promise<Invocation> {
  let { pairs } = line;
  for (const { name, lookup, given, lacks } of twinsOf(line, command)) {
    const record = lacks === 'name' ? await find(lookup, ({ id }) => id === given) : undefined;
    if (record === undefined || record.name === '') continue;
    const others = pairs.filter((pair) => pair.name !== name);
    pairs = [...others, { name, value: withoutReferences(record.name) }];
  }
  return { ...line, pairs };
}

/** Finds required arguments that name the same record, and of which the line has only one. */
function twinsOf(line: Invocation, { args }: Args): Twins[] {
  const { pairs } = withNamedValues(line, { args });
  const required = Object.entries(args).filter(([, argument]) => argument.required === true);
  const typedFor = (name: string) => String(pairs.find((pair) => pair.name === name)?.value ?? '').trim();
  return required.flatMap(([name, { lookup }]): Twins[] => {
    if (lookup?.takes !== 'name') return [];
    const twin = required.find((each) => each[1].lookup?.command === lookup.command && each[0] !== name);
    if (twin?.[1].lookup === undefined) return [];
    const [byId, byName] = [typedFor(twin[0]), typedFor(name)];
    if ((byId === '') === (byName === '')) return [];
    const lacks = byId === '' ? 'id' : 'name';
    return [{ id: twin[0], name, lookup: twin[1].lookup, given: byId + byName, lacks }];
  });
}
