import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry as real } from '../../commands/index.ts';
import { bulkScan } from '../../commands/runtime/bulk-scan.ts';
import { scan } from '../../commands/runtime/scan.ts';
import { chosen } from '../../lib/cli/init/dialogue.ts';
import { SUBCOMMANDS } from '../../lib/cli/subcommands.ts';
import { SCANNER_URLS } from '../../lib/core/wire.ts';
import { nearestCommand } from '../../lib/hosts/terminal/complete/command-name.ts';
import { complete } from '../../lib/hosts/terminal/complete/completion.ts';
import { historyEntry } from '../../lib/hosts/terminal/complete/history.ts';
import { plainMeasure } from '../../lib/hosts/terminal/render/measure.ts';
import { PLAIN } from '../../lib/hosts/terminal/render/style.ts';
import { commandHelp, GROUPS } from '../../lib/hosts/terminal/views/command-help.ts';
import { catalogueOf, describe as describeCommand } from '../../lib/manifest/describe.ts';
import { manPage } from '../../scripts/man-page.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { type Given, registry, rehearse, run, start } from './terminal-support.ts';

const json = (text: string) => JSON.parse(text);
const names = Object.keys(real);

describe('the short form', () => {
  test.each([
    { argv: ['widget-get', 'name=cog'] },
    { argv: ['!widget-get', 'name=cog'] },
    { argv: ['aisec-widget-get', 'name=cog'] },
    { argv: ['widget-get name="cog"'] },
  ])('$argv runs !aisec-widget-get', async ({ argv }) => {
    const { code, stdout } = await rehearse(argv);
    expect(code).toBe(0);
    expect(json(stdout).command).toBe('aisec-widget-get');
  });

  test.each([
    'Ignore all',
    `it's "so" \`x\` \\n`,
    '${AiSec.Widget.name}',
    '\\${a} \\\\${b} ${c',
    '${jndi:ldap://x}',
    'a=b --wide -h',
  ])('the value %s of a shell word arrives unchanged', async (prompt) => {
    const { code, requests } = await rehearse(['widget-make', 'name=a', `prompt=${prompt}`]);
    expect(code).toBe(0);
    expect(json(requests.at(-1)?.body ?? '').prompt).toBe(prompt);
  });

  test('works in a pipe, with references in lines and masks in --echo', async () => {
    const input = 'widget-get cog\nwidget-make name=${AiSec.Widget.name} auth_config=canary\n';
    const { code, stdout, requests } = await rehearse(['--echo'], { input });
    expect(code).toBe(0);
    expect(json(requests.at(-1)?.body ?? '').name).toBe('cog');
    expect(stdout).toContain('widget-make name=${AiSec.Widget.name} auth_config=***');
    expect(stdout).not.toContain('auth_config=canary');
  });

  test('works in the war room, over several lines and with Tab', async () => {
    const room = start(['--simulate']);
    await room.see('aisec (simulated)>');
    room.stdin.write('widget-g\t');
    await room.see('widget-get ');
    room.stdin.write('cog\r');
    await room.see('turns');
    room.stdin.write('widget-make name=a prompt="one\rtwo"\r');
    await room.see('"AiSec.WidgetMade');
    room.stdin.write('exit\r');
    expect(await room.code).toBe(0);
    expect(json(room.requests.at(-1)?.body ?? '').prompt).toBe('one\ntwo');
  });

  test('keeps prompts and secrets out of the history', async () => {
    const kept = (line: string) => historyEntry(line, catalogue, []);
    const catalogue = await catalogueOf(registry);
    expect(kept('widget-make name=a prompt=canary')).toBe('widget-make name=a prompt=***');
    expect(kept('widget-make prompt="canary')).toBe('widget-make');
    expect(kept('widget-mke prompt=canary')).toBeUndefined();
  });

  test('a subcommand takes precedence over a short name, and hides no command', async () => {
    const list = registry['aisec-widget-list'];
    if (list === undefined) throw new Error('there is no list');
    const { stdout } = await rehearse(['commands'], { extra: { 'aisec-commands': list } });
    expect(stdout).toContain('widget-list ');
    expectNone(
      Object.keys(SUBCOMMANDS).filter((name) => names.includes(`aisec-${name}`)),
      'hidden commands',
    );
  });

  test.each([
    { word: 'runtme-scan', hint: 'Did you mean "runtime-scan"?' },
    { word: 'topics-list', hint: 'Did you mean "runtime-topics-list"?' },
    { word: '!topics-list', hint: 'Did you mean "!runtime-topics-list"?' },
    { word: '!aisec-runtime-scn', hint: 'Did you mean "!aisec-runtime-scan"?' },
    { word: 'scans-list', hint: 'Did you mean "redteam-scans-list" or "model-security-scans-list"?' },
    { word: 'doctr', hint: 'Did you mean "doctor"?' },
  ])('$word: $hint', ({ word, hint }) => {
    expect(nearestCommand(word, names, Object.keys(SUBCOMMANDS))).toBe(hint);
  });

  test.each([
    { argv: ['widgt-list'], hint: 'Did you mean "widget-list"?' },
    { argv: ['help', 'paint'], hint: 'Did you mean "widget-paint"?' },
  ])('$argv is refused with a hint', async ({ argv, hint }) => {
    const { code, stderr } = await rehearse(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });
});

describe('help', () => {
  test.each([
    { argv: ['-h'], shown: 'Subcommands' },
    { argv: ['gate', '-h'], shown: '--max-asr N' },
    { argv: ['widget-make', '--help'], shown: 'aisec widget-make\n' },
    { argv: ['widget-make', 'name=a', '-h'], shown: 'aisec widget-make name=cog colour=green' },
    { argv: ['help', 'widget-make'], shown: 'aisec widget-make\n' },
    { argv: ['help', 'exit-codes'], shown: '130' },
    { argv: ['help', 'environment'], shown: 'AISEC_PROFILE' },
    { argv: ['help', 'options'], shown: '-h, --help' },
  ])('$argv shows $shown', async ({ argv, shown }) => {
    const { code, stdout } = await run(argv);
    expect(code).toBe(0);
    expect(stdout).toContain(shown);
  });

  test('names the two arguments of which a terminal needs one, and Tab offers both', () => {
    const bulk = describeCommand(bulkScan);
    const shown = commandHelp(bulk, {
      width: 200,
      style: PLAIN,
      measure: plainMeasure,
      shell: { dialect: 'posix', options: [] },
    });
    expect(shown).toMatch(/prompts_csv +\(required unless file is given,/);
    expect(shown).toMatch(/file +\(path of a file,/);
    expect(shown).toContain('  aisec runtime-bulk-scan profile_name=prod file=prompts.csv');
    const offered = (line: string) => complete(`!${bulk.name} ${line}`, [bulk], {}, {})[0];
    expect(offered('')).toEqual(['profile_name=', 'prompts_csv=', 'file=']);
    expect(offered('profile_name=a ')).toEqual(['prompts_csv=', 'file=']);
    expect(offered('profile_name=a entry_id=b ')).not.toContain('prompts_csv=');
    expect(offered('profile_name=a prompts_csv=b ')).toContain('file=');
  });

  test('Tab offers a text that may be given beside another one, and no name in place of which an id is given', () => {
    const info = describeCommand(scan);
    const offered = (line: string) => complete(`!${info.name} ${line}`, [info], {}, {})[0];
    expect(offered('')).toEqual(expect.arrayContaining(['profile_name=', 'profile_id=', 'prompt=', 'contents=']));
    expect(offered('profile_id=a ')).not.toContain('profile_name=');
    for (const other of ['response', 'code_prompt', 'code_response', 'tool_event', 'context']) {
      expect(offered(`profile_name=a ${other}=b `)).toContain('prompt=');
    }
    expect(offered('profile_name=a prompt=b ')).toContain('response=');
  });

  test.each([{ argv: ['--help'] }, { argv: ['help'] }])('$argv fits a screen of 80x24', async ({ argv }) => {
    const { stdout } = await run(argv, { terminal: true, columns: 80, environment: { NO_COLOR: '1' } });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(24);
    expectNone(
      lines.filter((line) => line.length > 80),
      'lines that are too long',
    );
  });

  test('names only existing commands', () => {
    const shown = GROUPS.flatMap(({ commands }) => commands);
    expectNone(
      shown.filter((name) => !names.includes(`aisec-${name}`)),
      'unknown commands',
    );
  });

  test('the manual page has every section, option and subcommand, and no line that troff would misread', () => {
    const page = manPage('1.2.3');
    for (const part of ['NAME', 'SYNOPSIS', 'SUBCOMMANDS', 'OPTIONS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES']) {
      expect(page).toContain(`.SH "${part}"`);
    }
    for (const name of Object.keys(SUBCOMMANDS)) expect(page).toContain(`\\fBaisec ${name}`);
    expect(page).toContain('\\-\\-files\\-dir DIR');
    const requests = page.split('\n').filter((line) => /^[.']/.test(line));
    expectNone(
      requests.filter((line) => !/^\.(TH|SH|TP|br|nf|fi)\b/.test(line)),
      'unknown requests',
    );
  });
});

const ANSWERS = ['http://127.0.0.1:9', 'client', 'canary-secret', '0012', 'canary-key'];

/** Runs aisec init; each answer is typed when its question is seen. */
async function dialogue(argv: readonly string[], answers: readonly (readonly [string, string])[], given: Given) {
  const running = start(['init', ...argv, '--timeout', '1'], given);
  for (const [question, answer] of answers) {
    await running.see(question);
    running.stdin.write(answer);
  }
  const code = await running.code;
  return { ...running, code, stdout: running.output(), stderr: running.errors() };
}

const QUESTIONS = ['Server URL', 'Client ID', 'Client Secret', 'Group ID', 'Runtime API Key'];
const typed = QUESTIONS.map((question, index) => [question, `${ANSWERS[index]}\r`] as const);
const LOCAL = ['--token-url', 'http://127.0.0.1:9/token', '--scanner-base-url', 'http://127.0.0.1:9'];

describe('aisec init', () => {
  let home = '';
  let path = '';

  beforeEach(() => {
    home = temporaryFolder('init');
    path = join(home, '.config', 'aisec', 'settings.yml');
  });

  test('asks, tests, and writes a private section without echoing a secret', async () => {
    const { code, stdout, stderr } = await dialogue(LOCAL, [...typed, ['Save these settings anyway?', 'y\r']], {
      environment: { HOME: home },
    });
    expect(code).toBe(0);
    expect(stdout).toContain('"state":"failed"');
    expect(stdout + stderr).not.toContain('canary');
    expect(stderr).toContain('The management address of your region, such as https://');
    expect(stderr).toContain(`Saved profile default in ${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    const shown = await run(['profiles'], { environment: { HOME: home } });
    expect(json(shown.stdout)).toEqual([
      { name: 'default', url: 'http://127.0.0.1:9', tenant: '0012', production: false, used: true },
    ]);
    expect(readFileSync(path, 'utf8')).toContain('client_secret: "canary-secret"');
  });

  test('writes nothing if the test fails and saving is declined, and returns the exit code of the test', async () => {
    const { code } = await dialogue(LOCAL, [...typed, ['Save these settings anyway?', '\r']], {
      environment: { HOME: home },
    });
    expect(code).toBe(9);
    expect(() => statSync(path)).toThrow();
  });

  scenario(
    'dry-run-everywhere',
    'a dry run asks and tests, names what would be saved, and writes nothing',
    async () => {
      const { code, stdout, stderr } = await dialogue(['--dry-run', ...LOCAL], typed, { environment: { HOME: home } });
      expect(code).toBe(9);
      expect(stderr).toContain(`profile default would be saved in ${path}, with scanner_base_url, token_url, url,`);
      expect(stdout + stderr).not.toMatch(/canary|Save these settings anyway/);
      expect(() => statSync(path)).toThrow();
    },
  );

  test('does not echo answers that were pasted ahead, and asks again after a wrong answer', async () => {
    const paste = ['nonsense', ...ANSWERS, 'y'].map((line) => `${line}\r`).join('');
    const { code, stdout, stderr } = await dialogue(LOCAL, [['Server URL', paste]], { environment: { HOME: home } });
    expect(code).toBe(0);
    expect(stderr).toContain('must be an absolute address');
    expect(stdout + stderr).not.toContain('canary');
  });

  test.each([
    { key: '\u0003', title: 'Ctrl-C' },
    { key: '\u0004', title: 'Ctrl-D' },
  ])('$title ends it with 130, without writing', async ({ key }) => {
    const { code } = await dialogue([], [...typed.slice(0, 2), ['Client Secret', key]], {
      environment: { HOME: home },
    });
    expect(code).toBe(130);
    expect(() => statSync(path)).toThrow();
  });

  test('asks before it changes a section, and keeps every byte after a no', async () => {
    const file = join(home, 'own.yml');
    writeFileSync(file, 'profiles:\n  prod: { tsg_id: "1" } # mine\n', { mode: 0o600 });
    const { code } = await dialogue(['--config', file, '--profile', 'prod'], [['Change it? [y/N]', 'n\r']], {});
    expect(code).toBe(130);
    expect(readFileSync(file, 'utf8')).toBe('profiles:\n  prod: { tsg_id: "1" } # mine\n');
  });

  test('offers the regions of the scanner with a default, and asks again after a wrong number', async () => {
    const steps = [['[https://service.api', '9\r'] as const, ['must be an absolute address', '\u0003'] as const];
    const { code, stderr } = await dialogue(LOCAL.slice(0, 2), [...typed, ...steps], { environment: { HOME: home } });
    expect(code).toBe(130);
    for (const [at, region] of Object.keys(SCANNER_URLS).entries()) expect(stderr).toContain(`${at + 1}  ${region}`);
    expect(() => statSync(path)).toThrow();
  });

  test.each([
    { answer: '2', means: SCANNER_URLS.EU },
    { answer: 'eu', means: SCANNER_URLS.EU },
    { answer: SCANNER_URLS.IN, means: SCANNER_URLS.IN },
    { answer: '0', means: '0' },
    { answer: '', means: '' },
  ])('takes "$answer" for "$means"', ({ answer, means }) => {
    expect(chosen(answer, Object.values(SCANNER_URLS))).toBe(means);
  });

  test('says what to set instead if there is no terminal', async () => {
    const { code, stderr } = await run(['init'], { input: '', environment: { HOME: home } });
    expect(code).toBe(2);
    expect(stderr).toContain('AISEC_RUNTIME_API_KEY in the environment');
  });

  test('an invalid file is refused before the first question', async () => {
    const file = join(home, 'bad.yml');
    writeFileSync(file, 'a: [canary');
    const { code, stderr } = await run(['init', '--config', file]);
    expect(code).toBe(3);
    expect(stderr).not.toMatch(/Server URL|canary/);
  });
});

const FILE = `tsg_id: "7"
profiles:
  staging: { url: https://staging.test, client_secret: canary }
  live: { tsg_id: "9", production: true }
  "odd": { url: "https://me:canary@x.test" }
`;

describe('profiles', () => {
  let file = '';

  beforeEach(() => {
    file = join(temporaryFolder('profiles'), 'settings.yml');
    writeFileSync(file, FILE, { mode: 0o600 });
  });

  test('are listed without secrets; AISEC_PROFILE selects a profile, and --profile takes precedence', async () => {
    const used = async (argv: string[], environment = {}) => {
      const { stdout, stderr } = await run(['profiles', '--config', file, ...argv], { environment });
      expect(stdout + stderr).not.toContain('canary');
      return (json(stdout) as { name: string; used: boolean }[]).filter((each) => each.used).map(({ name }) => name);
    };
    expect(await used([])).toEqual([null]);
    expect(await used([], { AISEC_PROFILE: 'live' })).toEqual(['live']);
    expect(await used(['--profile', 'staging'], { AISEC_PROFILE: 'live' })).toEqual(['staging']);
  });

  test('a table marks production and a missing choice', async () => {
    const { stdout, stderr } = await run(['profiles', '--config', file, '--output', 'table', '--profile', 'x']);
    expect(stdout).toMatch(/live .*9 +production/);
    expect(stderr).toContain('there is no profile "x"');
  });

  test.each([
    { argv: ['--simulate'], prompt: 'aisec (simulated)> ' },
    { argv: ['--profile', 'staging'], prompt: 'aisec (staging)> ' },
    { argv: [], prompt: 'aisec (7)> ' },
    { argv: ['--profile', 'staging', '--tsg-id', '8'], prompt: 'aisec (8)> ' },
    { argv: ['--profile', 'live'], prompt: '\u001b[33maisec (live)' },
  ])('the war room of $argv has the prompt $prompt', async ({ argv, prompt }) => {
    const coloured = prompt.startsWith('\u001b');
    const running = start(['--config', file, ...argv], {
      terminal: true,
      environment: coloured ? {} : { NO_COLOR: '1' },
    });
    await running.see(prompt);
    running.stdin.write('exit\r');
    expect(await running.code).toBe(0);
  });

  test('doctor names the file and the profile, and how to begin if nothing is set', async () => {
    const known = await run(['doctor', '--output', 'table', '--config', file, '--profile', 'live', '--timeout', '1']);
    expect(known.stdout.replace(/\s+/g, ' ')).toContain(`${file}, profile live, production.`);
    const none = await run(['doctor', '--output', 'table'], { columns: 200, environment: { HOME: '/nowhere' } });
    expect(none.code).toBe(3);
    expect(none.stdout).toMatch(/Begin with: aisec init\. Without a tenant, add --simulate\./);
    expect(none.stdout).toContain('/nowhere/.config/aisec/settings.yml (missing)');
  });
});
