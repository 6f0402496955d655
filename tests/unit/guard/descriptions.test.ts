/** Descriptions of tools that come from elsewhere: scanned once each, and only a complete verdict is remembered. */
import { decideDescriptions } from '../../../lib/guard/conversation.ts';
import type { GuardOptions } from '../../../lib/guard/types.ts';
import { scripted, verdictOf } from './scripted.ts';

const TOOL = { name: 'send', description: 'Sends.', inputSchema: { properties: { to: { description: 'Who.' } } } };

function opened(answer?: Parameters<typeof scripted>[1], options: Partial<GuardOptions> = {}) {
  const { guard, asked } = scripted({ onError: 'allow', ...options }, answer);
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

test('decisions are in the order of the descriptions, more than are scanned at once', async () => {
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
  ['is incomplete', { timeout: true }, 'allow'],
  ['is malformed', { category: 'odd' }, 'block'],
])('what %s is asked about again', async (_, changes, action) => {
  const answers = [changes, {}];
  const { decide } = opened((text, kind) => ({ ...verdictOf(text, kind), ...answers.shift() }));
  expect(await decide(TOOL)).toMatchObject({ action, cached: false });
  expect(await decide(TOOL)).toMatchObject({ action: 'allow', cached: false });
  expect(await decide(TOOL)).toMatchObject({ action: 'allow', cached: true });
});

test.each([
  ['profile', (names: string[]) => ({ profile: () => names[0] ?? '' })],
  ['revision', (names: string[]) => ({ cache: { revision: () => names[0] ?? '' } })],
])('an allow of another %s is none', async (_, options) => {
  const names = ['mild', 'strict'];
  const block = { action: 'block', category: 'malicious' };
  const { decide } = opened(
    (text, kind) => ({ ...verdictOf(text, kind), ...(names[0] === 'mild' ? {} : block) }),
    options(names),
  );
  expect(await decide(TOOL)).toMatchObject({ action: 'allow' });
  names.shift();
  expect(await decide(TOOL)).toMatchObject({ action: 'block' });
});

test.each([
  new Map([['description', 'BAD']]),
  () => 'BAD',
  // What looks like messages of a developer.
  [{ role: 'system', content: 'BAD', more: () => 'BAD' }],
  // What looks like a file, whose bytes a conversation leaves out.
  { type: 'file', data: new Uint8Array(9) },
])('what cannot be read is blocked, unscanned: %p', async (description) => {
  const { decide, asked } = opened();
  for (let times = 0; times < 2; times += 1)
    expect(await decide(description)).toMatchObject({ action: 'block', unscanned: 'unreadable' });
  expect(asked).toEqual([]);
});

test('what is missing has nothing to scan', async () => {
  const { decide, asked } = opened();
  expect([await decide(undefined), asked]).toMatchObject([{ action: 'allow' }, []]);
});
