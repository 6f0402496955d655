import fc from 'fast-check';

/**
 * Any character except half of a surrogate pair. The unit `binary` of fast-check does the same, but first builds a
 * table of all characters, which takes a second.
 */
export const anyCharacter = fc.nat(0x10_ffff - 0x800).map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));
