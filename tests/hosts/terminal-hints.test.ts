/** Hints are commands that can be pasted where they appear. */
import { execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import { text } from '../../lib/arguments/builders.ts';
import { NotFoundError } from '../../lib/core/errors.ts';
import type { Command } from '../../lib/engine/command.ts';
import { command } from '../../lib/engine/declare.ts';
import { invocationOf } from '../../lib/hosts/terminal/input/invocation.ts';
import { type Dialect, dialectOf } from '../../lib/hosts/terminal/options/shell.ts';
import { withArguments, withListCommand } from '../../lib/hosts/terminal/views/hints.ts';
import { pasteable } from '../../lib/hosts/terminal/views/paste.ts';
import { one, record, string } from '../../lib/output/record.ts';
import { expectNone } from '../support/expect-none.ts';
import { LINES } from '../support/lines.ts';
import { run } from '../unit/report/support.ts';

const LOCKED = '6e4d1a7c-b3f8-4952-9ce0-a8d26f5017b4';

describe('a command in a hint', () => {
  test.each<{ dialect: Dialect; text: string; becomes: string }>([
    { dialect: 'room', text: 'See !aisec-a-get id=1.', becomes: 'See !aisec-a-get id=1' },
    { dialect: 'posix', text: 'See !aisec-a-get id=1.', becomes: 'See aisec a-get id=1 --simulate' },
    { dialect: 'posix', text: 'See !aisec-a-get, then wait.', becomes: 'See aisec a-get --simulate, then wait.' },
    { dialect: 'posix', text: 'Did you mean "!aisec-a-get"?', becomes: 'Did you mean "!aisec-a-get"?' },
    { dialect: 'posix', text: 'Type !aisec-...', becomes: 'Type !aisec-...' },
    { dialect: 'posix', text: '!aisec-a-get n="it\'s $(x)"', becomes: "aisec a-get 'n=it'\\''s $(x)' --simulate" },
    { dialect: 'posix', text: '!aisec-a-get entryID=<file>.', becomes: "aisec a-get 'entryID=<file>' --simulate" },
    { dialect: 'powershell', text: '!aisec-a-get n="it\'s"', becomes: "aisec a-get 'n=it''s' --simulate" },
    { dialect: 'powershell', text: '!aisec-a-get n=a,b', becomes: "aisec a-get 'n=a,b' --simulate" },
    { dialect: 'powershell-5', text: '!aisec-a-get n=\'{"a":1}\'', becomes: `aisec a-get 'n={\\"a\\":1}' --simulate` },
  ])('$text reads $becomes in $dialect', ({ dialect, text, becomes }) => {
    expect(pasteable(text, { dialect, options: ['--simulate'] })).toBe(becomes);
  });

  test.each([
    [{ SHELL: '/bin/zsh' }, 'posix'],
    [{ SHELL: '/usr/bin/fish' }, 'posix'],
    [{ SHELL: '/usr/bin/pwsh' }, 'powershell'],
    [{ OS: 'Windows_NT' }, 'powershell-5'],
    [{ OS: 'Windows_NT', PSModulePath: 'C:\\Program Files\\WindowsPowerShell\\Modules' }, 'powershell-5'],
    [{ OS: 'Windows_NT', PSModulePath: 'C:\\a;c:\\program files\\powershell\\7\\Modules' }, 'powershell'],
    [{ OS: 'Windows_NT', PROMPT: '$P$G' }, 'powershell-5'],
    [{ OS: 'Windows_NT', SHELL: '/usr/bin/bash' }, 'posix'],
    [{}, 'posix'],
  ] as const)('is quoted in the environment %j for %s', (environment, dialect) => {
    expect(dialectOf(environment)).toBe(dialect);
  });
});

test.each([
  { text: 'See !aisec-a-get id=1.', becomes: 'See\n  aisec a-get id=1' },
  { text: 'See them with: !aisec-a-list', becomes: 'See them with:\n  aisec a-list' },
  { text: 'Run !aisec-a-make, then !aisec-a-get.', becomes: 'Run aisec a-make, then\n  aisec a-get' },
  { text: 'Run !aisec-a-make, then wait.', becomes: 'Run aisec a-make, then wait.' },
])('a command that ends a hint stands alone on its line of a terminal: $text', ({ text, becomes }) => {
  expect(pasteable(text, { dialect: 'posix', options: [] }, { isOwnLine: true })).toBe(becomes);
});

describe('the hint of a failed line', () => {
  const line = `redteam-report-get ${LOCKED}`;

  test('is a command of the shell, with the id and the options of the line', async () => {
    const { stderr } = await run([...line.split(' '), '--profile', 'my team']);
    expect(stderr).toContain(`aisec redteam-report-generate-partial job_id=${LOCKED} '--profile=my team' --simulate`);
  });

  test('is a line of the war room in the war room', async () => {
    const screen = { columns: 80, rows: 24 };
    const { stderr } = await run([], { terminal: screen, typed: `${line}\rexit\r`, environment: { NO_COLOR: '1' } });
    // The command is not broken, so that it can be copied.
    expect(stderr).toContain(`!aisec-redteam-report-generate-partial job_id=${LOCKED}`);
  });

  test('names the command that shows the result of a gate', async () => {
    const { stderr } = await run(['gate', 'redteam', LOCKED, '--max-asr', '5']);
    expect(stderr).toContain(`aisec redteam-scan-get job_id=${LOCKED} --simulate`);
  });

  test('repeats the line with the next page', async () => {
    const { stdout } = await run(['redteam-report-attacks-list', '94e0b7d6', 'limit=3', '--output', 'table']);
    expect(stdout).toMatch(/\naisec redteam-report-attacks-list job_id=94e0b7d6-\S+ limit=3 offset=3 --simulate\n/);
  });
});

describe('the hint about a missing argument', () => {
  const screen = { columns: 80, rows: 24 };
  test.each([
    {
      line: 'redteam-adapters-get',
      hint: 'Give an id or a name. See the adapters with:\n  aisec redteam-adapters-list --simulate\n',
    },
    { line: 'redteam-adapters-get --exact', hint: 'Give an id. See the adapters with:' },
    { line: 'redteam-adapters-get uuid=', hint: 'aisec redteam-adapters-list' },
    { line: 'runtime-dlp-dictionaries-get', hint: 'See the dictionaries with:' },
    { line: 'runtime-customer-apps-get', hint: 'Give a name. See the apps with:\n  aisec runtime-customer-apps-list' },
    { line: 'runtime-profiles-get', hint: 'hint: See the profiles with:\n  aisec runtime-profiles-list' },
    { line: 'runtime-scan prompt=hi', hint: 'Give profile_name or profile_id. See the profiles with:' },
    {
      line: `redteam-report-attack-get ${LOCKED}`,
      hint: `aisec redteam-report-attacks-list job_id=${LOCKED} --simulate\n`,
    },
    { line: 'redteam-report-attack-get', hint: 'hint: attack_id: Identifier of the attack.\n' },
    {
      line: 'runtime-topics-create topic_name=a description=b',
      hint: 'examples: Example prompts, two to five; a JSON array if a prompt contains\na comma. See its arguments with:\n  aisec help runtime-topics-create\n',
    },
  ])('of $line says how to get it', async ({ line, hint }) => {
    const { code, stderr } = await run(line.split(' '), { terminal: screen, environment: { NO_COLOR: '1' } });
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  test('is a line of the war room in the war room', async () => {
    const typed = 'redteam-adapters-get\rruntime-topics-create\rexit\r';
    const { stderr } = await run([], { terminal: screen, typed, environment: { NO_COLOR: '1' } });
    expect(stderr).toContain('See the adapters with:\n  !aisec-redteam-adapters-list\n');
    expect(stderr).toContain('See its arguments with:\n  help runtime-topics-create\n');
  });

  test('of a wrong value stays as it is', async () => {
    const { stderr } = await run(['redteam-scans-list', 'limit=many']);
    expect(stderr).not.toContain('with:');
  });
});

describe('the hint about a record that does not exist', () => {
  const NONE = '00000000-0000-4000-8000-000000000000';
  test.each([
    {
      line: `redteam-targets-get ${NONE}`,
      hint: 'Check the id or the name with aisec redteam-targets-list --simulate',
    },
    { line: `model-security-groups-get uuid=${NONE}`, hint: 'with aisec model-security-groups-list --simulate' },
    { line: `runtime-topics-delete topic_id=${NONE} --yes`, hint: 'with aisec runtime-topics-list --simulate' },
    { line: 'runtime-topics-get topic_name=nope', hint: 'with aisec runtime-topics-list --simulate; names are' },
    {
      line: `redteam-prompts-get prompt_set_uuid=${NONE} prompt_uuid=${NONE}`,
      hint: `aisec redteam-prompts-list prompt_set_uuid=${NONE} --simulate`,
    },
    { line: `gate redteam ${NONE} --max-asr 5`, hint: 'with aisec redteam-scans-list --simulate' },
    { line: `gate model ${NONE}`, hint: 'with aisec model-security-scans-list --simulate' },
    { line: `watch ${NONE}`, hint: 'with aisec redteam-scans-list --simulate' },
    { line: 'watch nope', hint: 'with: aisec redteam-scans-list --simulate' },
    { line: 'compare nope', hint: 'with: aisec redteam-targets-list --simulate' },
    { line: `report ${NONE} --html unwritten.html`, hint: 'with: aisec redteam-scans-list --simulate, aisec model' },
  ])('of $line names the list command', async ({ line, hint }) => {
    const { code, stderr } = await run(line.split(' '));
    expect(code).toBe(5);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('list command');
  });

  test('is a line of the war room in the war room', async () => {
    const screen = { columns: 80, rows: 24 };
    const typed = `redteam-targets-get ${NONE}\rexit\r`;
    const { stderr } = await run([], { terminal: screen, typed, environment: { NO_COLOR: '1' } });
    expect(stderr).toContain('hint: Check the id or the name with\n  !aisec-redteam-targets-list\n');
  });

  test('stays a sentence without a command where the record is the only one of its kind', async () => {
    const invocation = { name: 'aisec-redteam-eula-status', pairs: [], positionals: [] };
    const command = await registry['aisec-redteam-eula-status']?.();
    const error = new NotFoundError('Nothing.', { hint: 'Check the id or the name with the list command.' });
    if (command === undefined) throw error;
    expect(withListCommand(error, { command, invocation, registry: {} }).hint).toContain('the list command');
  });
});

/** Returns the command lines of a text for a shell, each as the person pastes it. */
async function linesIn(hint: string, command: Command): Promise<string[]> {
  const invocation = parseLine(`!${command.name} ${LINES[command.name] ?? ''}`);
  const filled = await withArguments(hint, { command, invocation, registry });
  const lines: string[] = [];
  const emphasis = (line: string) => {
    lines.push(line);
    return line;
  };
  pasteable(filled, { dialect: 'posix', options: ['--simulate'] }, { emphasis });
  return lines;
}

test('bash passes every command of the hints in the catalogue to a command that exists, with arguments it has', async () => {
  const lines: string[] = [];
  for (const load of Object.values(registry)) {
    const command = await load();
    for (const hint of Object.values(command.hints ?? {}))
      if (hint !== undefined) lines.push(...(await linesIn(hint, command)));
  }
  expect(lines.length).toBeGreaterThan(50);
  const script = `aisec() { printf '%s\\0' "$@"; printf '\\n'; }\n${[...new Set(lines)].join('\n')}\n`;
  const passed = execFileSync('bash', ['-e'], { input: script, encoding: 'utf8' });
  const wrong: string[] = [];
  for (const words of passed.split('\0\n').filter((each) => each !== '')) {
    const [option, ...rest] = words.split('\0').reverse();
    const { name, pairs, positionals } = invocationOf(rest.reverse());
    const args = (await registry[`aisec-${name}`]?.())?.args;
    const isKnown = args !== undefined && pairs.every((pair) => Object.hasOwn(args, pair.name));
    if (option !== '--simulate' || !isKnown || positionals.length > 0) wrong.push(words.replaceAll('\0', ' '));
  }
  expectNone(wrong, 'command that cannot be pasted');
});

describe('a near name', () => {
  test.each([
    { words: ['report', '2c8f5e1b'], near: 'look at it with: aisec report 2c8f5e1b --open --simulate' },
    { words: ['targets'], near: 'Did you mean "redteam-targets-list"?' },
    { words: ['dictionaries'], near: 'Did you mean "runtime-dlp-dictionaries-list"?' },
    { words: ['keys'], near: 'Did you mean "runtime-api-keys-list"' },
    { words: ['prompt-sets'], near: 'Did you mean "redteam-prompt-sets-list"' },
    { words: ['redteam-targets-list', '--limit', '5'], near: 'which has no dashes: limit=5' },
    { words: ['redteam-targets-get', '--target=my bot'], near: "which has no dashes: 'target=my bot'" },
    { words: ['redteam', 'scans', 'ls', '--target', 'chat'], near: 'which has no dashes: target=chat' },
    { words: ['redteam-scans-list', '--status', 'done'], near: 'which has no dashes: status=done' },
    { words: ['redteam-scans-list', '--lmit', '5'], near: 'which has no dashes: limit=5' },
    { words: ['--list'], near: 'See all options with: aisec --help' },
    { words: ['redteam-targets-list', '--fields', 'nmae'], near: 'Did you mean "name"?' },
    { words: ['runtime-scan', 'profile_name=prdo', 'prompt=hi'], near: 'profile_name: Did you mean "prod"?' },
    { words: ['runtime-customer-apps-get', 'support-cht'], near: 'app_name: Did you mean "support-chat"?' },
    { words: ['redteam-report-get', 'support-chatbot'], near: '"support-chatbot monthly" or "support-chatbot before' },
    { words: ['redteam-targets-get', 'target=support-chatbto'], near: 'Did you mean "support-chatbot"?' },
  ])('$words: $near', async ({ words, near }) => {
    const { code, stderr } = await run(words);
    expect(code).not.toBe(0);
    expect(stderr).toContain(near);
  });

  test.each([
    { line: 'redteam-scans-list --limit 5', near: 'limit=5' },
    { line: '!aisec-redteam-scans-list --limit=5', near: 'limit=5' },
    { line: 'redteam-scans-list --status done', near: 'status=done' },
    { line: 'redteam-targets-get --target "my bot"', near: 'target="my bot"' },
  ])('in a line of a pipe or the war room: $line', async ({ line, near }) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    stdin.end(`${line}\n`);
    const piped = await run([], { parts: { stdin } });
    const screen = { columns: 80, rows: 24 };
    const typed = await run([], { terminal: screen, typed: `${line}\rexit\r`, environment: { NO_COLOR: '1' } });
    for (const { stderr } of [piped, typed])
      expect(stderr).toContain(`hint: It is an argument, which has no dashes: ${near}\n`);
  });

  test.each([
    { line: 'runtime-topics-list limit=1 --output table', hint: 'aisec --output ...' },
    { line: 'runtime-topics-list limit=1 --fields=topic_name', hint: 'aisec --fields ...' },
    { line: 'runtime-topics-list --quiet', hint: 'aisec --quiet' },
  ])('that is one of the program is named in a line of a pipe: $line', async ({ line, hint }) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    stdin.end(`${line}\n`);
    const { code, stderr } = await run([], { parts: { stdin } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`for all lines: ${hint}\n`) });
  });

  test('is known beside an option of a line in the war room', async () => {
    const screen = { columns: 80, rows: 24 };
    const typed = 'redteam-scans-list --wide --limit 5\rexit\r';
    const { stderr } = await run([], { terminal: screen, typed, environment: { NO_COLOR: '1' } });
    expect(stderr).toContain('It is an argument, which has no dashes: limit=5');
  });

  test('of a secret argument is not suggested as a word of the command line', async () => {
    const { stderr } = await run(['redteam-targets-create', '--auth-config', 'canary']);
    expect(stderr).not.toContain('canary');
  });

  test('is left out if the list is refused', async () => {
    const { stderr } = await run(['runtime-scan', 'profile_name=prdo', 'prompt=hi'], {
      alter: (path, response) => (path.includes('/mgmt/') ? { status: 403, headers: {}, body: '{}' } : response),
    });
    expect(stderr).toContain('there is no security profile prdo');
    expect(stderr).not.toContain('Did you mean');
  });
});

test('a command of a hint repeats no secret of the line', async () => {
  const args = { name: text('Name.', { required: true }), key: text('Key.', { required: true, secret: true }) };
  const Lock = record('AiSec.Lock', 'Lock', 'name', { name: string('Name.') });
  const run = async () => ({ name: 'cog' });
  const lock = command('aisec-lock', 'Lock.', { effect: 'read', args, output: one(Lock), run });
  const pairs = [
    { name: 'name', value: 'cog' },
    { name: 'key', value: 'canary' },
  ];
  const invocation = { name: lock.name, pairs, positionals: [] };
  const line = { command: lock, invocation, registry: { [lock.name]: async () => lock } };
  expect(await withArguments('Try !aisec-lock', line)).toBe('Try !aisec-lock name=cog');
});
