/** New messages in a conversation, the masks of its texts, and tool descriptions from third parties. */
import { decideDescriptions, isForeign, maskedPrompt, newMessages } from '../../../lib/guard/conversation.ts';
import type { Message } from '../../../lib/guard/types.ts';
import { scripted, verdictOf } from './scripted.ts';

/** Writes a conversation by its roles: `-` marks a message that is not new. */
const newIn = (roles: readonly string[]) => {
  const messages = roles.map((role, at) => ({ role, content: `${at}` }));
  const found = newMessages(messages);
  return messages.map((message) => (found.includes(message) ? message.role : '-')).join(' ');
};

test.each([
  ['user', 'user'],
  ['system user', '- user'],
  ['user assistant user', '- - user'],
  ['user ai tool user', '- - tool user'],
  ['user model system user developer', '- - - user -'],
  ['user assistant', 'user assistant'],
  ['user assistant user assistant model', '- - user assistant model'],
  ['assistant', 'assistant'],
  ['critic assistant critic', '- - critic'],
  ['', ''],
])('of the roles %j, %j are new', (roles, expected) => {
  expect(newIn(roles.split(' ').filter((role) => role !== ''))).toBe(expected);
});

test.each([
  [false, ['system', 'developer', 'assistant', 'ai', 'model']],
  [true, ['user', 'tool', 'function', 'critic', '']],
])('[foreign] it is %s that %j come from outside', (expected, roles) => {
  expect(roles.map((role) => isForeign({ role, content: '' }))).toEqual(roles.map(() => expected));
});

describe('masks of a conversation', () => {
  const CARD = '4111 1111 1111 1111';
  const MASK = 'XXXX XXXX XXXX XXXX';
  const masked = (prompt: readonly Message[], answer = verdictOf) =>
    maskedPrompt(scripted({ mask: { input: true }, cache: false }, answer).guard, prompt, {});

  test.each<[string, (text: string) => unknown]>([
    ['a text', (text) => text],
    ['texts', (text) => [text, 'fine']],
    ['a part', (text) => [{ type: 'text', text, id: 1 }]],
    ['a text of a result', (text) => ({ type: 'text', value: text })],
    ['an error', (text) => ({ type: 'error-text', value: text })],
    ['parts of a result', (text) => [{ type: 'content', value: [{ type: 'text', text }] }]],
    ['a result', (text) => [{ type: 'tool-result', output: { type: 'text', value: text } }]],
  ])('%s is masked in every turn from a third party', async (_, of) => {
    const turns = (card: string) => [
      { role: 'system', content: of(CARD) },
      { role: 'user', content: of(card) },
      { role: 'assistant', content: of(CARD) },
      { role: 'tool', content: of(card), name: 'x' },
    ];
    expect(await masked(turns(CARD))).toStrictEqual({ messages: turns(MASK) });
  });

  test.each([
    { type: 'later', text: CARD },
    { type: 'text' },
    { type: 'tool-result', text: CARD },
    { text: CARD },
    5,
    null,
  ])('content without known text is unchanged: %j', async (content) => {
    expect(await masked([{ role: 'user', content: [content] }])).toStrictEqual({
      messages: [{ role: 'user', content: [content] }],
    });
  });

  test('a text with a verdict is kept, and the first text without a verdict is the reason not to send the conversation', async () => {
    const prompt = ['BAD', 'odd 1', 'odd 2'].map((content) => ({ role: 'user', content }));
    const odd = (text: string, kind: 'prompt' | 'response') => ({
      ...verdictOf(text, kind),
      ...(text.startsWith('odd') ? { category: text } : {}),
    });
    expect(await masked(prompt, odd)).toStrictEqual({
      messages: prompt,
      refused: expect.objectContaining({
        unscanned: 'malformed',
        verdict: expect.objectContaining({ category: 'odd 1' }),
      }),
    });
  });

  test('a text that passes without a verdict is sent, and without masks no text is scanned', async () => {
    const messages = [{ role: 'user', content: 'SLOW' }];
    for (const input of [true, false]) {
      const { guard, asked } = scripted({ onError: 'allow', mask: { input } });
      expect(await maskedPrompt(guard, messages, {})).toStrictEqual({ messages });
      expect(asked).toHaveLength(input ? 1 : 0);
    }
  });
});

const TOOL = { name: 'send', description: 'Sends.', inputSchema: { properties: { to: { description: 'Who.' } } } };

function opened() {
  const { guard, asked } = scripted({ onError: 'allow' });
  const decideAll = (descriptions: readonly unknown[]) => decideDescriptions(guard, descriptions);
  return { decideAll, decide: async (description: unknown) => (await decideAll([description]))[0], asked };
}

test('a description is read as a prompt, whole, and once', async () => {
  const { decideAll, decide, asked } = opened();
  const decisions = await decideAll([TOOL, { ...TOOL, name: 'receive' }, TOOL]);
  expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'allow']);
  expect(await decide({ ...TOOL })).toMatchObject({ action: 'allow', cached: true });
  expect(asked.map(({ args }) => args['prompt'])).toEqual([
    'name: send\ndescription: Sends.\ninputSchema: properties: to: description: Who.',
    'name: receive\ndescription: Sends.\ninputSchema: properties: to: description: Who.',
  ]);
});

test('decisions are in the order of the descriptions, even if there are more than are scanned at the same time', async () => {
  const words = ['a', 'BAD b', 'c', 'd', 'e', 'BAD f', 'g', 'h', 'i'];
  const decisions = await opened().decideAll(words);
  expect(decisions.map(({ action }) => action === 'block')).toEqual(words.map((word) => word.includes('BAD')));
});

test('a few descriptions are scanned at the same time', async () => {
  const { guard } = scripted();
  let running = 0;
  const seen: number[] = [];
  const input: typeof guard.input = async (content) => {
    running += 1;
    seen.push(running);
    const decision = await guard.input(content);
    running -= 1;
    return decision;
  };
  await decideDescriptions({ ...guard, input }, ['a', 'b', 'c', 'd', 'e', 'f']);
  expect(seen).toEqual([1, 2, 3, 4, 1, 2]);
});

test.each([
  new Map([['description', 'BAD']]),
  () => 'BAD',
  // Text that resembles developer messages.
  [{ role: 'system', content: 'BAD', more: () => 'BAD' }],
  // Text that resembles a file, whose bytes a conversation omits.
  { type: 'file', data: new Uint8Array(9) },
])('unreadable content is blocked, unscanned: %p', async (description) => {
  const { decide, asked } = opened();
  for (let times = 0; times < 2; times += 1)
    expect(await decide(description)).toMatchObject({ action: 'block', unscanned: 'unreadable' });
  expect(asked).toEqual([]);
});

test('missing content has nothing to scan', async () => {
  const { decide, asked } = opened();
  expect([await decide(undefined), asked]).toMatchObject([{ action: 'allow' }, []]);
});
