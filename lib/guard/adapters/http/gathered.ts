/** Joins a value that comes in pieces as its reader does: texts follow each other, and members and elements are added. */
import { isObject, objectOf } from '../../../core/json.ts';

/** Members that some models repeat in each piece. */
const REPEATED = ['id', 'type', 'name'];

/**
 * Adds a piece.
 * @param names of the members it stands in, from the outside in
 * @throws Error for a piece of another form, which would replace what its reader may have joined
 */
export function gathered(earlier: unknown, piece: unknown, names: readonly string[] = []): unknown {
  if (earlier === undefined || earlier === null || earlier === '') return piece;
  if (piece === null || piece === '') return earlier;
  if (isObject(earlier) && isObject(piece)) {
    const all = new Map(Object.entries(earlier));
    for (const [name, value] of Object.entries(piece)) all.set(name, gathered(all.get(name), value, [...names, name]));
    return Object.fromEntries(all);
  }
  if (typeof earlier === 'string' && typeof piece === 'string') return textWith(earlier, piece, names);
  if (Array.isArray(earlier)) {
    if (typeof piece === 'string') return partsWith(earlier, piece);
    if (Array.isArray(piece)) return [...(earlier as unknown[]), ...(piece as unknown[])];
  }
  if (typeof earlier !== 'object' && typeof piece !== 'object') return piece;
  throw new Error('The pieces of an answer do not fit together.');
}

function textWith(earlier: string, piece: string, names: readonly string[]): string {
  const [owner, name = ''] = names.slice(-2);
  if (REPEATED.includes(name) && earlier === piece) return earlier;
  // Pieces of bytes that are encoded one by one are no text together.
  if (owner === 'audio' && name === 'data' && earlier.endsWith('='))
    return Buffer.concat([earlier, piece].map((each) => Buffer.from(each, 'base64'))).toString('base64');
  return earlier + piece;
}

/** Adds a text to parts, such as an answer that follows the parts of its reasoning. */
function partsWith(parts: readonly unknown[], piece: string): readonly unknown[] {
  const last = objectOf(parts.at(-1));
  const { type, text } = last;
  if (type !== 'text' || typeof text !== 'string') return [...parts, { type: 'text', text: piece }];
  return [...parts.slice(0, -1), { ...last, text: text + piece }];
}
