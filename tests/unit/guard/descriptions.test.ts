/** Descriptions of tools that come from elsewhere: scanned once each, and only a complete allow is remembered. */
import { Descriptions } from '../../../lib/guard/descriptions.ts';
import { scripted, verdictOf } from './scripted.ts';

const TOOL = { name: 'send', description: 'Sends.', inputSchema: { properties: { to: { description: 'Who.' } } } };

function opened(answer?: Parameters<typeof scripted>[1], onError: 'block' | 'allow' = 'allow') {
  const { guard, asked } = scripted({ cache: false, onError }, answer);
  return { descriptions: new Descriptions(guard), asked };
}

test('a description is read as a prompt, whole, and once', async () => {
  const { descriptions, asked } = opened();
  const decisions = await descriptions.decideAll([TOOL, { ...TOOL, name: 'receive' }, TOOL]);
  expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'allow']);
  expect(await descriptions.decide({ ...TOOL })).toMatchObject({ action: 'allow', cached: true });
  expect(asked.map(({ args }) => args['prompt'])).toEqual([
    'name: send\ndescription: Sends.\ninputSchema: properties: to: description: Who.',
    'name: receive\ndescription: Sends.\ninputSchema: properties: to: description: Who.',
  ]);
});

test('decisions are in the order of the descriptions, more than are scanned at once', async () => {
  const words = ['a', 'BAD b', 'c', 'd', 'e', 'BAD f', 'g', 'h', 'i'];
  const decisions = await opened().descriptions.decideAll(words);
  expect(decisions.map(({ action }) => action === 'block')).toEqual(words.map((word) => word.includes('BAD')));
});

test.each([
  ['has a block', { action: 'block' }, 'block'],
  ['is incomplete', { timeout: true }, 'allow'],
  ['is malformed', { category: 'odd' }, 'block'],
])('what %s is asked about again', async (_, changes, action) => {
  const answers = [changes, {}];
  const { descriptions } = opened((text, kind) => ({ ...verdictOf(text, kind), ...answers.shift() }));
  expect(await descriptions.decide(TOOL)).toMatchObject({ action, cached: false });
  expect(await descriptions.decide(TOOL)).toMatchObject({ action: 'allow', cached: false });
  expect(await descriptions.decide(TOOL)).toMatchObject({ action: 'allow', cached: true });
});

test.each([new Map([['description', 'BAD']]), () => 'BAD', undefined])(
  'what cannot be read is never allowed as scanned: %p',
  async (description) => {
    const { descriptions, asked } = opened();
    for (let times = 0; times < 2; times += 1) {
      const { action, verdict } = await descriptions.decide(description);
      expect([description === undefined || action === 'block', verdict]).toEqual([true, undefined]);
    }
    expect(asked).toEqual([]);
  },
);

test('only so many are remembered', async () => {
  const { descriptions, asked } = opened();
  await descriptions.decideAll(Array.from({ length: 10_001 }, (_, at) => `tool ${at}`));
  await descriptions.decide('tool 1');
  expect(asked).toHaveLength(10_001);
  await descriptions.decide('tool 0');
  expect(asked).toHaveLength(10_002);
});
