import { registry as real } from '../../commands/index.ts';
import { SUBCOMMANDS } from '../../lib/cli/subcommands.ts';
import { candidates } from '../../lib/hosts/terminal/complete/command-line-completion.ts';
import { shortName } from '../../lib/hosts/terminal/complete/command-name.ts';
import { completeInRoom } from '../../lib/hosts/terminal/complete/room-completion.ts';
import { spelledCommand, withDashes, withNameJoined } from '../../lib/hosts/terminal/complete/spaced-name.ts';
import { commandList, commandsWith, GROUP_NAMES, groupHelp } from '../../lib/hosts/terminal/views/command-groups.ts';
import type { Catalogue } from '../../lib/manifest/catalogue.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { expectNone } from '../support/expect-none.ts';
import { historyOf, session } from './terminal-session.ts';
import { rehearse, run } from './terminal-support.ts';

const NAMES = Object.keys(real);
const spaced = (name: string) => shortName(name).replaceAll('-', ' ');
const SHORT = { list: 'ls', delete: 'rm', create: 'new' };

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await catalogueOf(real);
});

describe('a name with spaces', () => {
  test('is that of the command with dashes, for every command', () => {
    const wrong = NAMES.filter((name) => spelledCommand(spaced(name).split(' '), real)?.name !== name);
    expectNone(wrong, 'commands that spaces do not reach');
  });

  test.each(Object.entries(SHORT))('ends in %s or in %s', (verb, short) => {
    const ending = NAMES.filter((name) => name.endsWith(`-${verb}`));
    expect(ending.length).toBeGreaterThan(5);
    const typed = (name: string) => spaced(name).replace(new RegExp(`${verb}$`), short);
    const wrong = ending.filter((name) => spelledCommand(typed(name).split(' '), real)?.name !== name);
    expectNone(wrong, 'commands that the short verb does not reach');
  });

  test('is the first word where that is a command, whatever follows it', () => {
    const known = { 'aisec-widget': real, 'aisec-widget-list': real };
    expect(spelledCommand(['widget', 'list'], known)).toEqual({ name: 'aisec-widget', count: 1 });
  });

  test('never takes the argument of a command for a part of another name', () => {
    const words = ['list', 'get', 'ls', 'rm', 'new', 'delete', 'create'];
    const wrong = NAMES.flatMap((name) =>
      words
        .map((word) => [...spaced(name).split(' '), word])
        .filter((line) => spelledCommand(line, real)?.name !== name)
        .map((line) => `${name}: ${line.join(' ')}`),
    );
    // These names are themselves the beginnings of longer names, as `prompts` is of `prompt get`.
    const isName = (line: string) =>
      NAMES.some((name) => [line, line.replace(/s(?= get$)/, '')].includes(spaced(name)));
    const nested = wrong.filter((line) => !isName(line.split(': ')[1] ?? ''));
    expectNone(nested, 'arguments that became a part of a name');
  });

  test.each([
    { line: 'redteam scans list limit=2', joined: 'redteam-scans-list limit=2' },
    { line: '  redteam   scans  ls   limit=2', joined: 'redteam-scans-list   limit=2' },
    { line: '!redteam scans list', joined: '!redteam-scans-list' },
    { line: 'red-team scans ls', joined: 'redteam-scans-list' },
    { line: 'red team scans ls', joined: 'redteam-scans-list' },
    { line: 'redteam scan ls', joined: 'redteam-scans-list' },
    { line: 'redteam scans new', joined: 'redteam-scan-create' },
    { line: 'model security scans ls', joined: 'model-security-scans-list' },
    { line: 'dlp patterns get 1', joined: 'runtime-dlp-patterns-get 1' },
    { line: 'guardrails topics ls', joined: 'runtime-topics-list' },
    { line: 'redteam-targets ls', joined: 'redteam-targets-list' },
    { line: 'redteam-targets-ls', joined: 'redteam-targets-list' },
    { line: 'runtime scan prompt="redteam scans list"', joined: 'runtime-scan prompt="redteam scans list"' },
    { line: 'runtime topics get "my topic" list', joined: 'runtime-topics-get "my topic" list' },
  ])('"$line" is "$joined"', ({ line, joined }) => {
    expect(withDashes(line, real)).toBe(joined);
  });

  test.each([
    'runtime-scan scans list',
    '!aisec-runtime-topics-list limit=1',
    '!aisec-redteam-scan-list',
    'aisec-redteam-scans-ls',
    'redteam',
    'redteam limit=1 scans list',
    'Redteam Scans List',
    'constructor',
    '__proto__ list',
    '',
  ])('"%s" stays as it was typed', (line) => {
    expect(withDashes(line, real)).toBe(line);
  });

  test('leaves the words after it to the command, as the shell split them', () => {
    const line = ['redteam', 'targets', 'get', 'my bot', 'name=a b'];
    expect(withNameJoined(line, real)).toEqual(['redteam-targets-get', 'my bot', 'name=a b']);
    expect(withNameJoined(['runtime topics ls limit=1'], real)).toEqual(['runtime-topics-list limit=1']);
  });

  test.each([['widget list'.split(' ')], [['widget list']], [['widget', 'ls']]])(
    '%j runs in a shell',
    async (words) => {
      const { code, stdout } = await rehearse([...words, '--output', 'json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ command: 'aisec-widget-list' });
    },
  );

  test('runs in the war room, and its secrets are masked in the history', async () => {
    const { stdout, state } = await session([
      ['widget get nut\r', 'turns too'],
      ['widget make name=a auth_config=canary prompt="my canary"\r', 'Size'],
    ]);
    expect(stdout).toContain('turns too');
    expect(historyOf(state)).toEqual(['widget-get nut', 'widget-make name=a auth_config=*** prompt=***']);
  });

  test.each([
    { argv: ['widget'], message: '"widget" is not yet the name of a command.', hint: 'Next words: ' },
    { argv: ['widget', 'lst'], message: 'No command continues "widget" with "lst".', hint: 'Did you mean "list"?' },
    { argv: ['widget lst'], message: 'No command continues "widget" with "lst".', hint: 'aisec help widget' },
  ])('$argv is refused with the next words', async ({ argv, message, hint }) => {
    const { code, stderr } = await run(['--simulate', ...argv]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });
});

describe('completion of a name with spaces', () => {
  const offers = () => ({ catalogue, subcommands: SUBCOMMANDS, known: () => [] });
  const values = (words: readonly string[], current: string) =>
    candidates(words, current, offers()).values.map(({ value }) => value);

  test.each([
    { words: ['redteam'], current: 'sc', fits: ['scan', 'scans-list'] },
    { words: ['redteam', 'scans'], current: '', fits: ['list'] },
    { words: ['dlp', 'patterns'], current: 'de', fits: ['delete'] },
    { words: ['redteam', 'scans', 'ls'], current: 'li', fits: ['limit='] },
    { words: ['runtime-scan'], current: 'profile_n', fits: ['profile_name='] },
    { words: ['nothing', 'like'], current: '', fits: [] },
    { words: ['help'], current: 'guardr', fits: ['guardrails'] },
    { words: ['help', 'redteam', 'targets'], current: 'pro', fits: ['probe', 'profile'] },
    { words: ['commands'], current: 'd', fits: ['dlp'] },
  ])('$words and "$current" offer $fits', ({ words, current, fits }) => {
    expect(values(words, current)).toEqual(fits);
  });

  test.each([
    { line: 'dlp patterns de', fits: ['delete '] },
    { line: 'redteam scans ls li', fits: ['limit='] },
    { line: 'help redteam targets pro', fits: ['probe', 'profile'] },
  ])('"$line" offers $fits in the war room', ({ line, fits }) => {
    expect(completeInRoom(line, { ...offers(), context: {} })[0]).toEqual(fits);
  });

  test('reaches every command word by word', () => {
    const unreached = catalogue.filter(({ name }) => {
      let typed = [
        shortName(name).startsWith('model-security') ? 'model-security' : (spaced(name).split(' ')[0] ?? ''),
      ];
      while (spelledCommand(typed, real)?.name !== name) {
        const rest = shortName(name).slice(typed.join('-').length + 1);
        const next = values(typed, '').find((word) => rest === word || rest.startsWith(`${word}-`));
        if (next === undefined) return true;
        typed = [...typed, next];
      }
      return false;
    });
    expectNone(
      unreached.map(({ name }) => name),
      'commands that Tab does not reach',
    );
  });
});

describe('the groups of commands', () => {
  const page = { width: 80, terminal: true, style: { bold: (text: string) => text } } as never;

  test('have each command once, and count them', () => {
    const lines = commandList(catalogue, page);
    const counts = lines.flatMap((line) => /^[a-z-]+ \((\d+)\)/.exec(line)?.[1] ?? []).map(Number);
    expect(counts).toHaveLength(GROUP_NAMES.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(NAMES.length);
    expectNone(
      NAMES.filter((name) => lines.filter((line) => line.startsWith(`${shortName(name)} `)).length !== 1),
      'commands that are not listed once',
    );
    expectNone(
      lines.filter((line) => line.length > 80),
      'lines that are too long',
    );
  });

  test.each(['dlp', 'runtime', 'red-team', 'model-security', 'guardrails'])('help %s has a line each', (name) => {
    const lines = groupHelp(catalogue, [name], page)?.split('\n') ?? [];
    const count = Number(/\((\d+)\)/.exec(lines[0] ?? '')?.[1]);
    expect(count).toBeGreaterThan(5);
    expect(lines.filter((line) => /^(?:runtime|redteam|model-security)-/.test(line))).toHaveLength(count);
  });

  test.each([
    { words: ['topics', 'delete'], finds: ['aisec-runtime-topics-delete'] },
    { words: ['DICTIONARIES', 'patch'], finds: ['aisec-runtime-dlp-dictionaries-patch'] },
    { words: ['guardrails', 'topics-get'], finds: ['aisec-runtime-topics-get'] },
  ])('commands $words finds $finds', ({ words, finds }) => {
    expect(commandsWith(catalogue, words).map(({ name }) => name)).toEqual(finds);
  });

  test('a word that no command has is refused with a near word', async () => {
    expect(() => commandsWith(catalogue, ['topcis'])).toThrow('No command matches "topcis".');
    const { code, stdout, stderr } = await run(['commands', 'zzzz']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('aisec commands');
  });

  test('a pipe gets lines alone, and JSON of the commands that were found', async () => {
    expect((await run(['commands', 'list'])).stdout).toMatch(/^widget-list +List the widgets\.\n$/);
    const { stdout } = await run(['commands', 'widget-list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'aisec-widget-list' }]);
  });
});
