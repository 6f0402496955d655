/** Hints are commands that can be pasted where they appear. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { registry } from '../../commands/index.ts';
import { bulkScan } from '../../commands/runtime/bulk-scan.ts';
import { createService } from '../../fixtures/service/index.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import type { Service } from '../../fixtures/service/types.ts';
import { parseLine } from '../../lib/client/argv.ts';
import { typedInvocation } from '../../lib/hosts/terminal/line/invocation.ts';
import { shellWords } from '../../lib/hosts/terminal/line/shell-words.ts';
import { withArguments } from '../../lib/hosts/terminal/result/hints.ts';
import { pasteable } from '../../lib/hosts/terminal/result/paste.ts';
import { resumeLine } from '../../lib/hosts/terminal/result/resuming.ts';
import { type Dialect, dialectOf } from '../../lib/hosts/terminal/ui/shell.ts';
import { text } from '../../lib/runtime/arguments/builders.ts';
import type { Invocation } from '../../lib/runtime/arguments/lexer.ts';
import type { Command } from '../../lib/runtime/engine/command.ts';
import { command } from '../../lib/runtime/engine/declare.ts';
import { listedFields } from '../../lib/runtime/engine/list-reader.ts';
import { one, record, string } from '../../lib/runtime/output/record.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LINES } from '../support/lines.ts';
import { type Given, run } from '../unit/report/support.ts';

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
])('a command at the end of a hint has its own line on a terminal: $text', ({ text, becomes }) => {
  expect(pasteable(text, { dialect: 'posix', options: [] }, { isOwnLine: true })).toBe(becomes);
});

test('the hint for a failed line is a shell command with the id and the options of the line', async () => {
  const id = '6e4d1a7c-b3f8-4952-9ce0-a8d26f5017b4';
  const { stderr } = await run(['redteam-report-get', `job_id=${id}`, '--profile', 'my team']);
  expect(stderr).toContain(`aisec redteam-report-generate-partial job_id=${id} '--profile=my team' --simulate`);
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
});

/** Returns the command lines in a text for a shell, each as a person pastes it. */
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

test("every command in the catalogue's hints, run by bash, names an existing command and only arguments of that command", async () => {
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
    const { name, pairs, positionals } = typedInvocation(rest.reverse());
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
  ])('that belongs to the program is named in a line of a pipe: $line', async ({ line, hint }) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    stdin.end(`${line}\n`);
    const { code, stderr } = await run([], { parts: { stdin } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`for all lines: ${hint}\n`) });
  });

  test('of a secret argument is not suggested on the command line', async () => {
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

test('a command in a hint repeats no secret from the line', async () => {
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

const STATIC = '2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752';
const DYNAMIC = 'd61a3f90-c8b4-4e27-95d1-4a0f7e2b8c35';
const CUSTOM = '37b9e4c2-0d6f-4a58-a1c7-f5e820d3b946';
/** Identifiers that the simulated tenant has, for lists that need one. */
const NEEDED: Readonly<Record<string, (name: string) => string>> = {
  job_id: (name) => (name.includes('custom') ? CUSTOM : name.includes('goals') ? DYNAMIC : STATIC),
  security_group_uuid: () => MODEL_SEED_IDS.groups.production,
};
const MAX_PAGES = 30;

/** Follows the hints, starting from a line. @returns the lines that each page prints between the title and the notes */
async function follow(words: readonly string[], service: Service) {
  const pages: string[][] = [];
  let line: readonly string[] = words;
  for (; pages.length < MAX_PAGES; ) {
    const { code, stdout, stderr } = await run([...line, '--output', 'table', '--wide', '--no-pager'], { service });
    if (code !== 0) throw new Error(`${line.join(' ')}: ${stderr}`);
    const lines = stdout.split('\n');
    const head = lines.findIndex((each) => /^\S+(?: +\S+)*$/.test(each) && each === each.toUpperCase());
    const rows = lines.slice(head + 1).map((row) => row.trim().replace(/\s+/g, ' '));
    pages.push(rows.slice(0, rows.indexOf('')));
    const next = lines.findLast((each) => each.startsWith('aisec '));
    if (next === undefined) break;
    line = shellWords(next)
      .slice(1)
      .filter((word) => word !== '--simulate');
  }
  return pages;
}

interface Listing {
  readonly words: readonly string[];
  /** Arguments that limit the records of a page: the arguments of the interface, and the arguments that every list has. */
  readonly sizes: readonly string[];
  readonly key: string;
}

/** Every paged list of the interface, with the arguments it needs. */
async function listings(): Promise<readonly Listing[]> {
  const all = await Promise.all(
    Object.entries(registry).map(async ([name, load]): Promise<Listing[]> => {
      const command = await load();
      // Rows inside one record have no fields to print.
      const fields = command.output.paged === undefined ? listedFields(command) : undefined;
      const sizes = ['limit', 'size'].filter((each) => Object.hasOwn(command.args, each));
      const key = ['uuid', 'id', 'name', ...Object.keys(fields ?? {})].find(
        (each) =>
          fields?.[each] !== undefined && each !== 'created_at' && Object.hasOwn(command.output.record.fields, each),
      );
      const needed = Object.entries(command.args).filter(([, { required }]) => required);
      if (key === undefined || sizes.length === 0 || needed.some(([each]) => NEEDED[each] === undefined)) return [];
      const words = needed.map(([each]) => `${each}=${NEEDED[each]?.(name)}`);
      return [{ words: [name.replace('aisec-', ''), ...words], sizes, key }];
    }),
  );
  return all.flat();
}

describe('the hint for the next page leads to exactly the records that follow', () => {
  test('in every list, with a filter, a sort order and fields', async () => {
    const service = createService();
    const wrong: string[] = [];
    let followed = 0;
    for (const { words, sizes, key } of await listings()) {
      const choice = ['--filter', `${key}!="no 'such' one."`, '--sort', `${key}:desc`, '--fields', key];
      const [all = []] = await follow([...words, ...choice], service);
      for (const size of all.length < 2 ? [] : sizes) {
        followed += 1;
        const pages = await follow([...words, `${size}=${Math.ceil(all.length / 3)}`, ...choice], service);
        if (JSON.stringify(pages.flat()) !== JSON.stringify(all) || pages.length < 2) {
          wrong.push(`${words[0]} ${size}: ${pages.map(({ length }) => length).join('+')} of ${all.length}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(followed).toBeGreaterThan(20);
  });
});

function place() {
  const folder = temporaryFolder('resume');
  const file = join(folder, 'bulk.csv');
  writeFileSync(file, ['prompt', ...Array.from({ length: 8 }, (_, at) => `Prompt ${at + 1}`)].join('\n'));
  const typed = `runtime-bulk-scan profile_name=prod file=${file} output_file=k.jsonl`;
  const line = `aisec ${typed} resume=true --simulate --files-dir=${folder}`;
  /** Scans, and presses Ctrl-C during a request. */
  const scan = async (more: readonly string[], stopAt = 0, signal: NodeJS.Signals = 'SIGINT') => {
    let requests = 0;
    const alter: Required<Given>['alter'] = (path, response) => {
      if (path.endsWith('/sync/request') && ++requests === stopAt) process.emit(signal, signal);
      return response;
    };
    const words = [...typed.split(' '), 'concurrency=1', ...more, '--files-dir', folder];
    const { code, stdout, stderr } = await run(words, { alter });
    return { code, stdout, stderr, requests };
  };
  return { folder, line: line.replace(' resume', ' concurrency=1 resume'), scan };
}

describe('a bulk scan that was stopped', () => {
  test('by SIGTERM ends with 143, and prints the line that resumes it', async () => {
    const { line, scan } = place();
    const { code, stderr } = await scan([], 4, 'SIGTERM');
    expect({ code, stderr }).toEqual({ code: 143, stderr: expect.stringContaining(line) });
  });

  test('is resumed by the line that Ctrl-C prints, and a warning comes before it starts from the beginning', async () => {
    const { folder, line, scan } = place();
    const first = await scan([], 4);
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 130, stderr: expect.stringContaining(line) });
    const second = await scan(['--output', 'json'], 2);
    const said = second.stderr.split('\n')[0] ?? '';
    expect(said).toMatch(/^note: An unfinished run of these prompts has \d+ results, and this one begins again\./);
    expect(said.endsWith(` stop this one and run: ${line}`)).toBe(true);
    const third = await scan(['resume=true', '--output', 'json']);
    expect(third.code).toBe(0);
    expect(third.stdout).toContain('"total":8');
    const results = Number(/has (\d+) results/.exec(said)?.[1]);
    expect(results).toBeGreaterThan(0);
    expect(third.stdout).toContain(`Resumed a run with ${results} row`);
    expect(third.requests).toBeLessThan(8);
    expect(readdirSync(folder).filter((name) => /journal|partial|lock/.test(name))).toEqual([]);
  });
});

describe('the line that resumes', () => {
  const lineOf = (typed: string | Invocation) =>
    resumeLine(
      typeof typed === 'string' ? parseLine(`!aisec-runtime-bulk-scan profile_name=p ${typed}`) : typed,
      bulkScan,
    );

  test.each([
    ['file="my prompts.csv"', 'file="my prompts.csv" resume=true'],
    ['prompts_csv=file entry_id=a.csv resume=false', 'entry_id=a.csv resume=true'],
    ['prompts_csv=@file:a.txt', 'prompts_csv=@file:a.txt resume=true'],
  ])('repeats %s', (typed, end) => {
    expect(lineOf(typed)).toBe(`!aisec-runtime-bulk-scan profile_name=p ${end}`);
  });

  test.each(['prompts_csv="my card is"', '"my card is"', 'file=-', 'prompts_csv=@-', `file=\${a.b}`, 'unknown=x'])(
    'is not written for %s',
    (typed) => expect(lineOf(typed)).toBeUndefined(),
  );
});
