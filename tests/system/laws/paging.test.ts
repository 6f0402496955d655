import { registry } from '../../../commands/index.ts';
import { due } from '../../contract/commands.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_ROWS, lineRoom } from '../../support/lines.ts';

/** Lists that are a single record or a table of counts; the service sends them in one response. */
const SHORT = new Set(['aisec-redteam-languages-list', 'aisec-redteam-properties-list']);

const ARGUMENTS = new Map(
  due.map(({ command, arguments: own, extensions = [] }) => [command, [...own, ...extensions].map(({ name }) => name)]),
);
const argumentsOf = (name: string) => ARGUMENTS.get(name) ?? [];
const rows = LINE_ROWS.filter(({ name }) => argumentsOf(name).includes('offset')).map(({ name, line }) => ({
  name,
  // Each test sets its own position.
  line: line.replace(/ (?:limit|offset|skip|page|size)=\S+/g, ''),
}));
/** The live service ignores the position of this list, and the simulated service does so too. */
const IGNORED = 'aisec-redteam-targets-error-logs';

const recordsOf = async (line: string) => {
  const { raw } = await lineRoom().run(line);
  return Array.isArray(raw) ? raw : [];
};

test('every list takes limit and offset', async () => {
  const all = Object.keys(registry).filter((name) => name.endsWith('-list') && !SHORT.has(name));
  const missing = all.filter((name) => !argumentsOf(name).includes('offset') || !argumentsOf(name).includes('limit'));
  expectNone(missing, 'lists without them');
  expect(rows.length).toBeGreaterThan(all.length);
});

test.each(rows.filter(({ name }) => name !== IGNORED))(
  '$name limit=2 offset=1 returns the second record and the third',
  async ({ line }) => {
    const all = await recordsOf(`${line} limit=50`);
    expect(await recordsOf(`${line} limit=2 offset=1`)).toEqual(all.slice(1, 3));
    expect(await recordsOf(`${line} limit=1`)).toEqual(all.slice(0, 1));
  },
);

const documented = rows.flatMap(({ name, line }) => {
  const words = ['skip', 'page', 'size'].filter((word) => argumentsOf(name).includes(word));
  return words.map((word) => ({ line: `${line} offset=1 ${word}=1`, word }));
});

test.each(documented)('$line is refused before anything is sent', async ({ line, word }) => {
  const room = lineRoom();
  const failure = await room.fail(line);
  expect(failure).toMatchObject({ exitCode: 2, argument: 'offset' });
  expect(failure.hint).toContain(word);
  expectNone(room.requests, 'requests');
});
