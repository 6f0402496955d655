import { SUBCOMMANDS } from '../../bin/subcommands.ts';
import { registry as real } from '../../commands/index.ts';
import { shortName } from '../../lib/client/names/command-name.ts';
import { spelledCommand, withDashes } from '../../lib/client/names/spaced-name.ts';
import { splitLine } from '../../lib/hosts/terminal/line/line-options.ts';
import { COMMAND_OPTIONS } from '../../lib/hosts/terminal/line/options.ts';
import { commandList, commandsWith, GROUP_NAMES, groupHelp } from '../../lib/hosts/terminal/result/command-groups.ts';
import { candidates } from '../../lib/hosts/terminal/room/completion/command-line-completion.ts';
import { completeInRoom } from '../../lib/hosts/terminal/room/completion/room-completion.ts';
import type { Catalogue } from '../../lib/manifest/catalogue.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { expectNone } from '../support/expect-none.ts';
import { historyOf, rehearse, run, session } from './terminal-support.ts';

const NAMES = Object.keys(real);
const spaced = (name: string) => shortName(name).replaceAll('-', ' ');
const SHORT = { list: 'ls', delete: 'rm', create: 'new' };

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await catalogueOf(real);
});

describe('a name with spaces', () => {
  test('equals the name with dashes, for every command', () => {
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

  test('is the first word if that is a command, whatever follows it', () => {
    const known = { 'aisec-widget': real, 'aisec-widget-list': real };
    expect(spelledCommand(['widget', 'list'], known)).toEqual({ name: 'aisec-widget', count: 1 });
  });

  test('never treats an argument of a command as part of another name', () => {
    const words = ['list', 'get', 'ls', 'rm', 'new', 'delete', 'create'];
    const wrong = NAMES.flatMap((name) =>
      words
        .map((word) => [...spaced(name).split(' '), word])
        .filter((line) => spelledCommand(line, real)?.name !== name)
        .map((line) => `${name}: ${line.join(' ')}`),
    );
    // These names are prefixes of longer names, as `prompts` is of `prompt get`.
    const isName = (line: string) =>
      NAMES.some((name) => [line, line.replace(/s(?= get$)/, '')].includes(spaced(name)));
    const nested = wrong.filter((line) => !isName(line.split(': ')[1] ?? ''));
    expectNone(nested, 'arguments that became a part of a name');
  });

  test.each([
    { line: 'redteam scans list limit=2', joined: 'redteam-scans-list limit=2' },
    { line: '  redteam   scans  ls   limit=2', joined: 'redteam-scans-list   limit=2' },
    { line: 'red-team scans ls', joined: 'redteam-scans-list' },
    { line: 'redteam scan ls', joined: 'redteam-scans-list' },
    { line: 'model security scans ls', joined: 'model-security-scans-list' },
    { line: 'dlp patterns get 1', joined: 'runtime-dlp-patterns-get 1' },
    { line: 'guardrails topics ls', joined: 'runtime-topics-list' },
    { line: 'runtime scan prompt="redteam scans list"', joined: 'runtime-scan prompt="redteam scans list"' },
    { line: 'runtime topics get "my topic" list', joined: 'runtime-topics-get "my topic" list' },
  ])('"$line" is "$joined"', ({ line, joined }) => {
    expect(withDashes(line, real)).toBe(joined);
  });

  test.each([
    'runtime-scan scans list',
    '!aisec-runtime-topics-list limit=1',
    '!aisec-redteam-scan-list',
    'redteam limit=1 scans list',
    'Redteam Scans List',
    '',
  ])('"%s" is kept as typed', (line) => {
    expect(withDashes(line, real)).toBe(line);
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

  test('runs in the war room, and its secrets are masked in the history', async () => {
    const { stdout, state } = await session([
      ['widget get nut\r', 'turns too'],
      ['widget make name=a auth_config=canary prompt="my canary"\r', 'Size'],
    ]);
    expect(stdout).toContain('turns too');
    expect(historyOf(state)).toEqual(['widget-get nut', 'widget-make name=a auth_config=*** prompt=***']);
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

  test.each(['dlp', 'runtime', 'red-team', 'model-security', 'guardrails'])('help %s has a line for each', (name) => {
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

  test('an unknown word is refused, with a near word', async () => {
    expect(() => commandsWith(catalogue, ['topcis'])).toThrow('No command matches "topcis".');
    const { code, stdout, stderr } = await run(['commands', 'zzzz']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('aisec commands');
  });
});

describe('options of a line', () => {
  describe('options at the end of a line', () => {
    test.each([
      { line: 'a-list --wide', command: 'a-list', words: ['--wide'] },
      { line: '!a x=1 --output json --wide', command: '!a x=1', words: ['--output', 'json', '--wide'] },
      { line: "a --jq '.b | keys'", command: 'a', words: ['--jq', '.b | keys'] },
      { line: 'a --fields=b,c', command: 'a', words: ['--fields=b,c'] },
      { line: 'a x="b --wide"', command: 'a x="b --wide"', words: [] },
      { line: 'a x="b --wide" --wide', command: 'a x="b --wide"', words: ['--wide'] },
      { line: 'a x=`--wide', command: 'a x=`--wide', words: [] },
      { line: 'a x="b --wide c"', command: 'a x="b --wide c"', words: [] },
      { line: 'a "--wide"', command: 'a "--wide"', words: [] },
      { line: 'a --unknown', command: 'a --unknown', words: [] },
      { line: 'a --widely', command: 'a --widely', words: [] },
      { line: 'a x=--wide', command: 'a x=--wide', words: [] },
    ])('$line', ({ line, command, words }) => {
      expect(splitLine(line, COMMAND_OPTIONS)).toEqual({ command, words });
    });
  });

  describe('in the war room', () => {
    test('apply to one line', async () => {
      const { stdout } = await session([
        ['widget-get cog --output json\r', '"command": "aisec-widget-get"'],
        ['widget-get nut\r', /Name\S* +nut/],
        ["widget-list --jq '.outputs | keys'\r", '"AiSec.Widget"'],
        ['widget-list --output csv --fields name\r', /name\r?\ncog\r?\nnut/],
      ]);
      expect(stdout).not.toContain('"command": "aisec-widget-list"');
    });

    test.each([
      { typed: 'widget-list --profile x', shown: 'Option --profile cannot be set for one line' },
      { typed: 'widget-list --wide more', shown: '"more" comes after an option.' },
      { typed: 'widget-list --output jason', shown: 'Did you mean "json"?' },
      { typed: 'widget-list --jq . --output csv', shown: 'Option --jq cannot be combined with --output csv.' },
    ])('"$typed" is refused', async ({ typed, shown }) => {
      const { requests } = await session([[`${typed}\r`, shown]]);
      expectNone(requests, 'requests');
    });

    test('the history keeps flags and formats, but no free text', async () => {
      const { state } = await session([
        ['widget-list --wide --output json\r', '"command"'],
        ['widget-make name=a prompt=canary-one --jq .canary-two\r', 'error'],
        ['widget-make name=a prompt=canary-one --fields name\r', 'Made widget'],
      ]);
      expect(historyOf(state)).toEqual([
        'widget-list --wide --output json',
        'widget-make name=a prompt=*** --jq ***',
        'widget-make name=a prompt=*** --fields ***',
      ]);
    });

    test('the history keeps the fields of a list, and marks a filter as omitted', async () => {
      const { state } = await session([["widget-list --filter 'name=cog' --sort name:desc --fields name\r", 'cog']]);
      expect(historyOf(state)).toEqual(['widget-list --filter *** --sort name:desc --fields name']);
    });

    test('a recalled line with a masked filter is not run', async () => {
      const { requests } = await session([['widget-list --filter ***\r', '--filter is masked (***)']]);
      expectNone(requests, 'requests');
    });

    test('a dry run of one line changes nothing', async () => {
      const { requests } = await session([['widget-make name=a --dry-run\r', '/v1/widgets']]);
      expectNone(
        requests.filter(({ method, url }) => method === 'POST' && url.includes('widgets')),
        'requests that change something',
      );
    });

    test('the history keeps the options of a subcommand', async () => {
      const { state } = await session([
        ['gate redteam gone --max-asr 5\r', 'error'],
        ['export out/x.yml --only nothing\r', 'error'],
      ]);
      expect(historyOf(state)).toEqual(['gate redteam gone --max-asr 5', 'export out/x.yml --only nothing']);
    });
  });

  test.each([
    { what: 'a command line', given: { terminal: true } },
    { what: 'a pipe', given: { terminal: true, input: 'widget-get cog --output json\n' } },
  ])('are refused in a line of $what, which is one text', async ({ given }) => {
    const { code, stderr } = await rehearse('input' in given ? [] : ['widget-get cog --output json'], given);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is not allowed in this line/);
  });
});
