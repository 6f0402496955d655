/** Which commands the options of a server let an agent reach, and which they leave out. */
import { PassThrough } from 'node:stream';
import { registry } from '../../../commands/index.ts';
import { changesNothing } from '../../../lib/client/allow.ts';
import { UsageError } from '../../../lib/core/errors.ts';
import { serveAgents } from '../../../lib/hosts/mcp/main.ts';
import { expectNone } from '../../support/expect-none.ts';
import { someOf } from '../../support/runs.ts';
import { type Subject, subjects } from '../../system/laws/subjects.ts';
import { type ConnectionOptions, closeConnectionsAfterEach, connect, parts, watched } from './support.ts';

closeConnectionsAfterEach();

const names = Object.keys(registry);
const FIND = ['aisec_search', 'aisec_describe', 'aisec_read'];
const EVERYDAY = ['aisec-runtime-scan', 'aisec-runtime-profiles-list', 'aisec-redteam-targets-list'];
const starting = (...starts: string[]) => names.filter((name) => starts.some((start) => name.startsWith(start)));
const DLP = starting('aisec-runtime-dlp-');

interface Row {
  readonly what: string;
  readonly options: ConnectionOptions;
  /** Commands that have their own tool. */
  readonly named: readonly string[];
  /** Commands that can be run; default: the commands that have their own tool. */
  readonly within?: readonly string[];
}

const ROWS: readonly Row[] = [
  { what: 'nothing', options: {}, named: EVERYDAY, within: names },
  { what: 'dlp', options: { toolsets: 'dlp' }, named: DLP },
  { what: 'red-team', options: { toolsets: 'red-team' }, named: starting('aisec-redteam-') },
  { what: 'all', options: { toolsets: 'all' }, named: names },
  {
    what: 'two toolsets with spaces',
    options: { toolsets: ' dlp , model-security,' },
    named: starting('aisec-runtime-dlp-', 'aisec-model-security-'),
  },
  { what: 'a name with its mark', options: { tools: '!aisec-runtime-scan' }, named: ['aisec-runtime-scan'] },
  {
    what: 'a pattern in the middle',
    options: { tools: '*-topics-*' },
    named: names.filter((name) => name.includes('-topics-')),
  },
  {
    what: 'a toolset and a tool',
    options: { toolsets: 'dlp', tools: 'aisec-runtime-scan' },
    named: [...DLP, 'aisec-runtime-scan'],
  },
];

const changing = new Set(subjects.filter(({ command }) => !changesNothing(command)).map(({ name }) => name));

const rows = ROWS.flatMap((row) => [
  { ...row, readOnly: false },
  { ...row, readOnly: true },
]);

test.each(rows)('the tools of $what, read only: $readOnly', async ({ options, named, within = named, readOnly }) => {
  const { client } = await connect({ ...options, readOnly });
  const { tools } = await client.listTools();
  const own = named.filter((name) => !readOnly || !changing.has(name));
  const change = readOnly ? [] : ['aisec_change'];
  // The guard is available wherever the scan is.
  const guard = within.includes('aisec-runtime-scan') ? ['aisec_guard'] : [];
  expect(tools.map(({ name }) => name).sort()).toEqual([...FIND, ...change, ...guard, ...own].sort());
});

/** All ways to call a command, with the text of each answer. */
async function ways(connection: Awaited<ReturnType<typeof connect>>, { name, given }: Subject) {
  const { call, client } = connection;
  const more = { command: name, arguments: given };
  const read = client.readResource({ uri: `aisec://commands/${name}` }).then(
    ({ contents }) => JSON.stringify(contents),
    () => undefined,
  );
  const refused = async (answer: ReturnType<typeof call>) => {
    const { isError, text } = await answer;
    return isError ? undefined : text;
  };
  return {
    aisec_change: await refused(call('aisec_change', { ...more, confirm: true })),
    'aisec_change with a dry run': await refused(call('aisec_change', { ...more, dry_run: true })),
    'aisec_change with the mark': await refused(
      call('aisec_change', { ...more, command: ` !${name} `, confirm: true }),
    ),
    aisec_read: await refused(call('aisec_read', more)),
    aisec_describe: await refused(call('aisec_describe', { command: name })),
    'its own name': await refused(call(name, { ...given, confirm: true })),
    'its own name without confirmation': await refused(call(name, given)),
    'its resource': await read,
  };
}

// Read-only mode leaves out the same commands from each selection.
const limited = rows.filter(({ what, named, within = named, readOnly }) =>
  readOnly ? ['nothing', 'dlp'].includes(what) : within.length < names.length,
);

test.each(limited)('commands outside $what cannot be reached, read only: $readOnly', async (row) => {
  const { options, named, within = named, readOnly } = row;
  const { simulated, seen } = watched();
  const connection = await connect({ ...options, readOnly, parts: { simulated } });
  const found: string[] = [];
  const isOut = (name: string) => !within.includes(name) || (readOnly && changing.has(name));
  const at = limited.indexOf(row);
  const left = someOf(
    subjects.filter(({ name }) => isOut(name)),
    at,
  );
  expect(left).not.toEqual([]);
  for (const subject of left) {
    const { name } = subject;
    for (const [way, answer] of Object.entries(await ways(connection, subject))) {
      if (answer !== undefined) found.push(`${name}: ${way} answers ${answer}`);
    }
    const search = await connection.call('aisec_search', { words: name });
    const [hits] = [search.structured['commands'] as { name: string }[]];
    for (const hit of hits) if (isOut(hit.name)) found.push(`${name}: aisec_search finds ${hit.name}`);
  }
  expectNone(found, 'commands within reach that were left out');
  expectNone(seen, 'requests of commands that were left out');
  const [inside] = within.filter((name) => !isOut(name));
  // A server that refuses everything would pass the test above.
  const described = await connection.call('aisec_describe', { command: inside ?? EVERYDAY[0] });
  expect(described.isError).toBe(inside === undefined);
});

test.each([
  ['constructor', '__proto__', 'toString', ''],
  ['aisec_change', 'aisec-runtime-scan;', 'AISEC-RUNTIME-SCAN', 'aisec-runtime-*'],
])('reaches no command by the names %s, %s, %s, %s', async (...words) => {
  const { call, client } = await connect();
  for (const word of words) {
    for (const tool of ['aisec_read', 'aisec_change', 'aisec_describe']) {
      const { isError, structured } = await call(tool, { command: word });
      expect([tool, word, isError, structured]).toEqual([
        tool,
        word,
        true,
        { error: expect.objectContaining({ code: 'usage' }) },
      ]);
    }
    await expect(client.readResource({ uri: `aisec://commands/${word}` })).rejects.toThrow();
    if (word !== '' && word !== 'aisec_change') expect((await call(word)).text).toContain('There is no tool');
  }
});

test.each([
  { what: 'a number', command: 7 },
  { what: 'a list', command: ['aisec-runtime-profiles-list'] },
  { what: 'an object', command: { toString: 1, valueOf: 1 } },
])('a command that is $what is a usage error', async ({ command }) => {
  const { call } = await connect();
  for (const tool of ['aisec_read', 'aisec_change', 'aisec_describe']) {
    expect((await call(tool, { command })).structured).toMatchObject({ error: { code: 'usage' } });
  }
});

test.each([
  { what: 'an unknown toolset', options: { toolsets: 'runtime,redteam' }, says: 'There is no toolset "redteam".' },
  { what: 'a toolset with the name of an inherited member', options: { toolsets: 'constructor' }, says: 'no toolset' },
  { what: 'an unknown tool', options: { tools: 'aisec-runtime-scann' }, says: 'No command matches' },
  { what: 'a pattern without a match', options: { tools: 'aisec-runtime-scan,x*' }, says: 'No command matches "x*".' },
  {
    what: 'a pattern with regular-expression characters',
    options: { tools: 'aisec.runtime.scan' },
    says: 'No command matches',
  },
  { what: 'no name at all', options: { tools: ' , ' }, says: 'No tool is named.' },
  { what: 'an empty toolset', options: { toolsets: '' }, says: 'No tool is named.' },
])('$what is a usage error with a hint', async ({ options, says }) => {
  const serving = serveAgents(
    parts,
    { readOnly: false, allowSecrets: false, client: { simulate: true }, ...options },
    { stdin: new PassThrough(), stdout: new PassThrough(), note: () => undefined, signal: AbortSignal.abort() },
  );
  const thrown = await serving.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(UsageError);
  expect(thrown).toMatchObject({ message: expect.stringContaining(says), hint: expect.stringContaining('Toolsets: ') });
});
