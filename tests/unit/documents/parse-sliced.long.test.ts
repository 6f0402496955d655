/** Documents are parsed in time slices and within limits, with the same result as in one step. */
import * as yaml from 'yaml';
import { readDocument } from '../../../lib/node/documents/read-document.ts';
import { expectProportion } from '../../support/growth.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const KIND = { noun: 'playbook', contents: 'Tasks.', yaml: '1.1' } as const;
const read = (text: string) => readDocument(text, 'a.yml', KIND);
const lines = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at));
const task = (at: number) =>
  `  "${at}":\n    id: "${at}"\n    task: &t${at}\n      name: "n ${at}"\n      on: yes\n    list:\n    - ${at}\n    - [a, {b: 1}]\n`;

const SHAPES: { what: string; text: (size: number) => string }[] = [
  { what: 'tasks', text: (size) => `name: x\ntasks:\n${lines(size, task).join('')}` },
  { what: 'members', text: (size) => lines(size, (at) => `k${at}: v`).join('\n') },
  { what: 'JSON', text: (size) => `{"a": {${lines(size, (at) => `"k${at}": [${at}]`).join(', ')}}}` },
  { what: 'elements', text: (size) => `a:\n${lines(size, (at) => `- ${at}`).join('\n')}` },
  {
    what: 'a large value with an anchor',
    text: (size) => `a: &x\n${lines(size, (at) => `  k${at}: v`).join('\n')}\nb: *x`,
  },
  { what: 'a large list in a list', text: (size) => `a:\n- - b\n${lines(size, () => '  - c').join('\n')}\n- d` },
];

test.each(SHAPES)('parses $what in slices as in one step, with the same lines', async ({ text }) => {
  for (const size of [3, 3000]) {
    const { value, source } = await read(text(size));
    const whole = yaml.parseDocument(text(size), { version: '1.1', uniqueKeys: false });
    expect(value).toEqual(whole.toJS());
    const [key = ''] = Object.keys(value).slice(-1);
    const at = text(size)
      .split('\n')
      .findIndex((line) => line.startsWith(`${key}:`));
    expect(source.lineOf([key])).toBe(Math.max(0, at) + 1);
  }
});

test.each(SHAPES)('parses $what in linear time', async ({ text }) => {
  await expectProportion((size) => {
    const made = text(Math.min(size, 4000));
    return () => read(made);
  });
});

scenario.each([
  { what: 'more than 1 MB', text: `a: ${'x'.repeat(1_000_000)}`, says: 'more than 1000000 characters' },
  { what: 'more than 60,000 members', text: lines(60_001, (at) => `k${at}:`).join('\n'), says: '60000 members' },
  { what: 'more than 60,000 elements', text: `a: [${'1,'.repeat(60_001)}]`, says: '60000 members and elements' },
  { what: 'lists 50,000 deep', text: '['.repeat(50_000), says: 'deeper than 100 levels' },
  { what: 'mappings 5,000 deep', text: '? '.repeat(5000), says: 'deeper than 100 levels' },
  {
    what: 'aliases of aliases',
    text: `a: &a [x]\n${lines(20, (at) => `b${at}: [*a, *a, *a, *a, *a, *a]`).join('\n')}`,
    says: 'more than 100 aliases',
  },
])('parse-bounds', 'refuses a document with $what before it is composed', async ({ text, says }) => {
  await expect(read(text)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(says) as unknown });
});

test('refuses a few aliases that multiply', async () => {
  const bomb = lines(9, (at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`).join('\n');
  await expect(read(`a0: &a0 [x]\n${bomb}`)).rejects.toMatchObject({ code: 'usage' });
});

test.each([
  ['a few', 'a: 1\nb: 2\na: 3', 'a.yml:3'],
  ['many', `${lines(4000, (at) => `k${at}: v`).join('\n')}\nk7: w`, 'a.yml:4001'],
])('names a key that %s members have twice, with its line', async (_many, text, place) => {
  await expect(read(text)).rejects.toThrow(`${place}: not valid YAML at column 1: Map keys must be unique`);
});

scenario('parse-bounds', 'other work continues while a large document is parsed', async () => {
  let turns = 0;
  let isRead = false;
  const turn = () => {
    turns += 1;
    if (!isRead) setImmediate(turn);
  };
  setImmediate(turn);
  const { value } = await read(`name: x\ntasks:\n${lines(5000, task).join('')}`);
  isRead = true;
  expect(Object.keys(value['tasks'] as object)).toHaveLength(5000);
  // Each slice has 2,000 of more than 100,000 parts.
  expect(turns).toBeGreaterThan(50);
});
