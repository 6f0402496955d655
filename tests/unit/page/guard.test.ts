/** What a person pastes into the guard's view, and how the answer of a model is shown while it is guarded. */
import fc from 'fast-check';
import { eventsFor, messagesIn, partsOf } from '../../../web/pictures/guard-model.ts';
import { eventsIn } from '../../hosts/http/support.ts';

const USER = { role: 'user', content: 'Hello' };

describe('A conversation', () => {
  it.each([
    ['lines with roles', 'user: Hello\nassistant: Hi\nthere', [USER, { role: 'assistant', content: 'Hi\nthere' }]],
    ['a plain text', 'Hello', [USER]],
  ])('may be %s', (_what, text, messages) => {
    expect(messagesIn(text)).toEqual(messages);
  });
});

it('is sent in pieces that keep every character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const events = eventsIn(eventsFor(text));
      expect(events.map(({ data }) => data.text ?? '').join('')).toBe(text);
      expect(events.at(-1)?.event).toBe('end');
    }),
  );
});

it.each([
  ['holds what is not released', 'abcdef', 'abc', undefined, ['abc released', 'def held']],
  ['shows the whole answer', 'abcdef', 'abcdef', 'allow', ['abcdef released']],
  ['shows what is blocked', 'abcdef', 'ab', 'block', ['ab released', 'cdef blocked']],
  ['shows what is masked', 'my 4111 card', 'my XXXX card', 'mask', ['my  released', 'XXXX masked', ' card released']],
  [
    'shows a mask of another length',
    'my 4111 card',
    'my X card',
    'mask',
    ['my  released', 'X masked', ' card released'],
  ],
] as const)('The guarded answer %s', (_what, sent, released, end, parts) => {
  expect(partsOf(sent, released, end).map(({ text, kind }) => `${text} ${kind}`)).toEqual(parts);
});
