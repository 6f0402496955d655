/** Server-sent events are the same, wherever their bytes are cut. */
import { EventReader, type ReadEvent } from '../../../../lib/hosts/http/events/event-reader.ts';

const read = (...chunks: readonly Uint8Array[]): ReadEvent[] => {
  const reader = new EventReader(1000);
  return [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end()];
};
const message = (data: string): ReadEvent => ({ event: 'message', data });

test.each<[string, string, readonly ReadEvent[]]>([
  ['lines that end with LF', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
  ['lines that end with CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
  ['lines that end with CR', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
  ['lines of every kind', 'event: x\r\ndata: a\rdata: b\n\r\n', [{ event: 'x', data: 'a\nb' }]],
  ['a mark at the start', '\ufeffdata: a\n\n', [message('a')]],
  ['characters of four bytes', 'data: 🙂é\n\n', [message('🙂é')]],
  ['data without a space', 'data:a\n\ndata:  b\n\n', [message('a'), message(' b')]],
  ['data without a value', 'data\n\n', [message('')]],
  ['comments', ': one\n\n:\ndata: a\n: two\n\n', [message('a')]],
  ['an event without data', 'event: end\n\n', [{ event: 'end', data: '' }]],
  ['names that mean nothing here', 'id: 1\nretry: 5\nother: x\ndata: a\n\n', [message('a')]],
  ['an event that is not ended', 'data: a\n\ndata: b', [message('a'), message('b')]],
  ['nothing', '\n\n\n', []],
])('%s, cut at every byte', (_title, text, expected) => {
  const bytes = Buffer.from(text);
  expect(read(bytes)).toEqual(expected);
  expect(read(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected);
  for (let at = 1; at < bytes.length; at += 1) {
    expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected);
  }
});

test.each([
  ['a line', 'x'.repeat(1001)],
  ['many lines', 'data: x\n'.repeat(200)],
  ['a comment', `:${'x'.repeat(1000)}`],
])('refuses an event with too many characters in %s', (_title, text) => {
  expect(() => read(Buffer.from(text))).toThrow('An event has more than 1000 characters.');
});

test('counts the size of each event alone, and no comment', () => {
  const text = `: ${'x'.repeat(900)}\n`.repeat(5) + `data: ${'x'.repeat(900)}\n\n`.repeat(5);
  expect(read(Buffer.from(text))).toHaveLength(5);
});

test.each([
  ['in the middle', Buffer.from([0x64, 0xff, 0x64])],
  ['at the end', Buffer.from([0xe2, 0x82])],
])('refuses bytes that are not UTF-8 %s', (_title, bytes) => {
  expect(() => read(bytes)).toThrow('The events are not UTF-8.');
});
