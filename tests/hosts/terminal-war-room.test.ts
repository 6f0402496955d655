import { appendFileSync, chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUBCOMMANDS } from '../../bin/subcommands.ts';
import { bulkScan } from '../../commands/runtime/bulk-scan.ts';
import { complete } from '../../lib/hosts/terminal/room/completion/completion.ts';
import { completeInRoom } from '../../lib/hosts/terminal/room/completion/room-completion.ts';
import { historyEntry, historyPath, openHistory } from '../../lib/hosts/terminal/room/history.ts';
import { catalogueOf, describe as describeCommand } from '../../lib/manifest/describe.ts';
import { commandOf } from '../support/declared.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { historyOf, registry, session, start } from './terminal-support.ts';

const CTRL_C = '\u0003';
let catalogue: Awaited<ReturnType<typeof catalogueOf>>;
beforeAll(async () => {
  catalogue = await catalogueOf(registry);
});

describe('a war room', () => {
  test('keeps the context from one line to the next, and leaves with Ctrl-D', async () => {
    const { code, stdout } = await session([
      ['!aisec-widget-list\r', 'turns too'],
      ['!aisec-widget-get name=${AiSec.Widget.[1].name}\r', /Name\S*\s+nut/],
      ['context AiSec.Widget.[0]\r', '"name": "cog"'],
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('"note": "turns"');
  });

  test('writes results to stdout, and everything else, including its prompt, to stderr', async () => {
    const { stdout, stderr } = await session([['!aisec-widget-get cog\r', 'turns']]);
    expect(stdout).not.toContain('simulated)');
    expect(stderr).toMatch(/aisec 1\.2\.3.*[\s\S]*aisec \(simulated\)/);
  });

  test.each([
    { typed: 'help', shown: 'commands [WORD]' },
    { typed: 'help widget-make', shown: '  !aisec-widget-make name=cog colour=green' },
    { typed: 'context AiSec.Nothing', shown: 'The context has no value at' },
    { typed: 'aisec widget-get cog', shown: 'turns' },
    // The cursor moves to the first line of the screen.
    { typed: 'clear', shown: '\u001b[1;1H' },
    { typed: 'rm -rf', shown: 'Unknown command "rm".' },
    { typed: 'playbook demo.yml', shown: 'aisec playbook runs in a shell, not in the war room.' },
    { typed: '!aisec-widget-gett', shown: 'Did you mean "!aisec-widget-get"?' },
    { typed: '!aisec-widget-make name=a prompt=***', shown: 'the history does not keep its value' },
  ])('answers "$typed"', async ({ typed, shown }) => {
    expect((await session([[`${typed}\r`, shown]])).code).toBe(0);
  });

  test('doctor and gate use the connection of the room', async () => {
    const folder = temporaryFolder('room');
    const file = join(folder, 'rows.jsonl');
    writeFileSync(file, '{"row":1,"action":"block","status":"complete"}\n');
    const { code, requests } = await session([
      ['doctor\r', /Tenant 0012[\s\S]*Management API +\S*✓\S* passed[\s\S]*AISEC_PROXY/],
      ['doctor more\r', 'Too many arguments for aisec doctor: "more".'],
      [`gate bulk ${file}\r`, 'The gate failed: '],
      ['gate bulk\r', 'aisec gate needs a model scan, a bulk scan or a red-team scan.'],
      ['report\r', 'aisec report needs the id of a red-team or model scan'],
      [`report ${'0'.repeat(8)}\r`, 'aisec report needs a file'],
      ['widget-get cog\r', 'turns'],
    ]);
    expect(code).toBe(0);
    expect(requests.filter(({ url }) => url.endsWith('/token'))).toHaveLength(1);
  });

  test.each(['exit', 'quit'])('%s ends the room, and lines pasted after it are not run', async (word) => {
    const { requests } = await session([[`${word}\r!aisec-widget-list\r`, word]]);
    expectNone(requests, 'requests');
  });

  test('runs pasted lines in their order', async () => {
    const { stdout } = await session([
      ['!aisec-widget-get cog\r!aisec-widget-get nut\rcontext AiSec.Widget.[1].name\r', '"nut"'],
    ]);
    expect(stdout.indexOf('turns\n')).toBeLessThan(stdout.indexOf('turns too'));
  });

  test('a value continues over lines while its quote is open', async () => {
    const { requests } = await session([
      ['!aisec-widget-make name=a prompt="one\r', '... (Ctrl-C drops the line) '],
      ['two" colour=grey\r', 'Made widget'],
    ]);
    expect(JSON.parse(requests.at(-1)?.body ?? '')).toMatchObject({ prompt: 'one\ntwo', colour: 'grey' });
  });

  scenario(
    'abort',
    'Ctrl-C stops the running command and the commands pasted after it, and the room stays open',
    async () => {
      const { stdout, stderr, requests } = await session([
        ['!aisec-widget-wait\r!aisec-widget-list\r', 'still waiting'],
        [CTRL_C, 'cancelled:'],
        ['!aisec-widget-get cog\r', 'turns'],
      ]);
      expect(stderr.match(/cancelled:/g)).toHaveLength(1);
      expectNone(
        requests.filter(({ url }) => url.includes('widgets?')),
        'requests of a list',
      );
      expect(stdout).toContain('turns');
    },
  );

  test('Ctrl-C clears the typed line and an open quote', async () => {
    const { requests, stdout } = await session([
      ['!aisec-widget-list', 'widget-list'],
      [`${CTRL_C}!aisec-widget-make name="a\r`, '... '],
      [`${CTRL_C}!aisec-widget-get cog\r`, 'turns'],
    ]);
    expectNone(
      requests.filter(({ method, url }) => method === 'POST' && !url.includes('token')),
      'requests that change something',
    );
    expect(stdout).not.toContain('turns too');
  });

  test('set dry-run on sends no change until it is off', async () => {
    const changes = (requests: readonly { method: string; url: string }[]) =>
      requests.filter(({ method, url }) => method === 'POST' && url.includes('/widgets'));
    const dry = [
      ['set dry-run on\r', 'note: dry-run is on'],
      ['widget-make name=a\r', /POST[\s\S]*\/v1\/widgets/],
    ] as const;
    expectNone(changes((await session(dry)).requests), 'requests that change something');
    const wet = [
      ...dry,
      ['set dry-run off\r', 'note: dry-run is off'],
      ['widget-make name=a\r', 'Made widget'],
    ] as const;
    expect(changes((await session(wet)).requests)).toHaveLength(1);
  });

  test('a failed line does not change the context', async () => {
    const { stdout, stderr } = await session([
      ['!aisec-widget-get cog\r', 'turns'],
      ['!aisec-widget-get gone\r', 'error:'],
      ['context\r', '"action": "allow"'],
    ]);
    expect(stderr).toContain('error:');
    expect(stdout).toContain('"name": "cog"');
  });
});

describe('completion', () => {
  const context = { AiSec: { Widget: [{ name: 'cog', parts: { a: 1 } }, { name: 'nut' }], Count: 2 } };
  const follows = { help: 'command', context: 'path', exit: undefined } as const;

  test.each([
    { line: '!aisec-widget-li', fits: ['!aisec-widget-list '] },
    { line: 'co', fits: ['context'] },
    { line: '!aisec-widget-make ', fits: ['name='] },
    {
      line: '!aisec-widget-make name=a ',
      fits: ['colour=', 'material=', 'tags=', 'prompt=', 'auth_config=', 'shiny='],
    },
    { line: '!aisec-widget-make name=a co', fits: ['colour='] },
    { line: '!aisec-widget-make colour=gr', fits: ['green', 'grey'] },
    { line: '!aisec-widget-make material=', fits: ['steel', '"stained glass"'] },
    { line: '!aisec-widget-make tags=new,o', fits: ['old'] },
    { line: '!aisec-widget-get name=${', fits: ['AiSec'] },
    { line: '!aisec-widget-get name=${AiSec.', fits: ['AiSec.Widget', 'AiSec.Count}'] },
    { line: '!aisec-widget-get name=${AiSec.Widget.[0].', fits: ['AiSec.Widget.[0].name}', 'AiSec.Widget.[0].parts'] },
    { line: 'context AiSec.C', fits: ['AiSec.Count'] },
  ])('"$line"', ({ line, fits }) => {
    const [found, replaced] = complete(line, catalogue, context, follows);
    expect(found).toEqual(fits);
    expect(line.endsWith(replaced)).toBe(true);
  });
});

describe('completion of paths and of subcommands', () => {
  const folder = temporaryFolder('paths');
  for (const name of ['prompts.csv', 'prompts of May.csv', '.hidden']) writeFileSync(join(folder, name), '');
  mkdirSync(join(folder, 'old'));
  const bulk = describeCommand(bulkScan);
  const offers = { catalogue: [bulk], subcommands: SUBCOMMANDS, known: () => [], context: { AiSec: 1 } };

  test.each([
    { line: 'runtime-bulk-scan entry_id={folder}/', fits: ['{folder}/old/', '{folder}/prompts.csv'] },
    { line: 'runtime-bulk-scan entry_id={folder}/pro', fits: ['{folder}/prompts.csv'] },
    { line: 'runtime-bulk-scan prompts_csv=@file:{folder}/p', fits: ['{folder}/prompts.csv'] },
    { line: 'runtime-bulk-scan entry_id=${', fits: ['AiSec}'] },
    { line: 'runtime-bulk-scan resume=t', fits: ['true'] },
    { line: 'gate ', fits: ['model', 'bulk', 'redteam'] },
    { line: 'gate bulk {folder}/p', fits: ['{folder}/prompts.csv'] },
    { line: 'gate model x --sar', fits: ['--sarif'] },
  ])('"$line"', ({ line, fits }) => {
    const typed = line.replace('{folder}', folder);
    const [found, replaced] = completeInRoom(typed, offers);
    expect(found).toEqual(fits.map((fit) => fit.replace('{folder}', folder)));
    expect(typed.endsWith(replaced)).toBe(true);
  });
});

describe('the history', () => {
  const kept = (line: string) => historyEntry(line, catalogue, ['help', 'context']);

  scenario.each([
    { line: '!aisec-widget-make name=a prompt="my canary"', expected: '!aisec-widget-make name=a prompt=***' },
    { line: '!aisec-widget-make auth_config=canary name=a', expected: '!aisec-widget-make auth_config=*** name=a' },
    { line: '!aisec-widget-get name=my canary', expected: '!aisec-widget-get name=my ***' },
    { line: '!aisec-widget-make promt=canary', expected: '!aisec-widget-make ***' },
    { line: '!aisec-widget-make name=a my canary', expected: '!aisec-widget-make name=a *** ***' },
    { line: '!aisec-widget-make prompt="canary', expected: '!aisec-widget-make' },
    { line: '!aisec-widget-mke prompt=canary', expected: '!aisec-widget-mke' },
    { line: 'canary', expected: undefined },
    { line: 'help canary$(x)', expected: 'help' },
  ])('secret-settings', 'of $line keeps $expected', ({ line, expected }) => {
    expect(kept(line)).toBe(expected);
  });

  test.each([
    '!aisec-widget-make name=a auth_config=@env:TOKEN',
    '!aisec-widget-get name=${AiSec.Widget.[0].name}',
    '!aisec-widget-get name=`{"a": "b"}`',
    '!aisec-widget-get name="one\\ntwo"',
    'help aisec-widget-get',
  ])('keeps %s unchanged', (line) => {
    expect(kept(line)).toBe(line);
  });

  test.each([
    {
      line: 'runtime-topics-delete topic=investment-advice',
      expected: 'runtime-topics-delete topic=investment-advice',
    },
    { line: 'redteam-report-get scan=2c8f5e1b', expected: 'redteam-report-get scan=2c8f5e1b' },
    { line: 'redteam-targets-create target=canary', expected: 'redteam-targets-create ***' },
  ])('of $line knows the other names of arguments', ({ line, expected }) => {
    const commands = ['runtime-topics-delete', 'redteam-report-get', 'redteam-targets-create'];
    const known = commands.map((name) => describeCommand(commandOf(`aisec-${name}`)));
    expect(historyEntry(line, known, [])).toBe(expected);
  });

  scenario(
    'secret-settings',
    'no prompt, response or secret argument is written to the file, however it was entered',
    async () => {
      const { state } = await session([
        ['!aisec-widget-make name=a prompt="canary one\r', '... '],
        ['canary two" auth_config=canary-three\r', 'Made widget'],
        ['!aisec-widget-mak prompt=canary-four\r', 'Did you mean'],
        ['canary-five\r', 'Unknown command'],
      ]);
      expect(historyOf(state)).toEqual(['!aisec-widget-make name=a prompt=*** auth_config=***', '!aisec-widget-mak']);
    },
  );

  test('keeps the newest thousand lines, and no line twice in a row', () => {
    const state = join(start(['--version']).state, 'aisec');
    mkdirSync(state);
    const path = join(state, 'history');
    appendFileSync(path, Array.from({ length: 1200 }, (_, index) => `help ${index}\n`).join(''));
    const history = openHistory(path, fail);
    expect(history.lines).toHaveLength(1000);
    history.add('help 1199');
    history.add('help x');
    expect(openHistory(path, fail).lines.slice(-2)).toEqual(['help 1199', 'help x']);
  });

  test('that cannot be written causes one warning, and the war room continues', async () => {
    const { code, stderr } = await session([['!aisec-widget-get cog\r', 'turns']], {
      environment: { XDG_STATE_HOME: '/dev/null' },
    });
    expect(code).toBe(0);
    expect(stderr.match(/the history .* cannot be used/g)).toHaveLength(1);
  });

  test.each([
    { environment: { XDG_STATE_HOME: '/s' }, path: '/s/aisec/history' },
    { environment: { XDG_STATE_HOME: 'relative', HOME: '/h' }, path: '/h/.local/state/aisec/history' },
    { environment: { HOME: '/h' }, path: '/h/.local/state/aisec/history' },
  ])('is at $path', ({ environment, path }) => {
    expect(historyPath(environment)).toBe(path);
  });

  test('is readable only by its owner, even if it was not before', async () => {
    const { state } = await session([['help\r', 'Run a command']]);
    const path = join(state, 'aisec', 'history');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    openHistory(path, fail);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

function fail(message: string): void {
  throw new Error(message);
}
