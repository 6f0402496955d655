import { crc32 as expected } from 'node:zlib';
import { crc32 } from '../../../lib/core/text/fingerprint.ts';
import { utf8Length } from '../../../lib/core/text/utf8.ts';

const PIECES = [
  '',
  'plain',
  '\x00\x7f',
  'é',
  '\u07ff\u0800',
  '\uffff',
  '😀',
  '\ud83d',
  '\ude00',
  '\ude00\ud83d',
  '世界',
  '\n',
];

test.each(PIECES.flatMap((one) => PIECES.map((other) => [`${one}${other}a${one}`])))(
  'length and digest of %j are those of its bytes',
  (text) => {
    const sum = crc32();
    sum.add(text);
    sum.add('end');
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    expect(sum.digest()).toBe(expected(`${text}end`).toString(16).padStart(8, '0'));
  },
);
