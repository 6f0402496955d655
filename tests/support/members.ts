/** Lists the members of context values by the paths of declared outputs; the entries of an array share one path. */

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists the values at a dotted path. */
export function* membersAt(value: unknown, path: string): Generator {
  for (const [at, member] of membersOf(value, '')) if (at === path) yield member;
}

/** Every member of a value, with its path. @param prefix start of the paths, such as `AiSec.Topic`; may be empty */
export function* membersOf(value: unknown, prefix: string): Generator<readonly [path: string, member: unknown]> {
  if (Array.isArray(value)) for (const entry of value) yield* membersOf(entry, prefix);
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    yield [path, member];
    yield* membersOf(member, path);
  }
}
