import fc from 'fast-check';

/** Any character but half of a pair. The unit `binary` of fast-check is the same and makes a table of all first, which takes a second. */
export const anyCharacter = fc.nat(0x10_ffff - 0x800).map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));
