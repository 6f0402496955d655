import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { renderTally } from '../../lib/hosts/terminal/result/tally.ts';
import { PLAIN } from '../../lib/hosts/terminal/ui/style.ts';
import type { Tally } from '../../lib/runtime/output/result.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { run } from '../unit/report/support.ts';
import { type Given, rehearse, start, type Widgets } from './terminal-support.ts';

const folder = temporaryFolder('input');
const file = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const MAKE = ['!aisec-widget-make', 'name=cog'];
const promptOf = ({ requests }: { requests: readonly { body?: string }[] }): unknown =>
  requests
    .filter(({ body }) => body?.startsWith('{'))
    .map(({ body }) => JSON.parse(body ?? '').prompt)
    .find((prompt) => prompt !== undefined);

describe('content from a file or from standard input', () => {
  const text = 'Zeile 1 ü\n"quoted" `raw` name=other ${AiSec.Widget.name} \\${x} \\\\${y} @file:z\n';

  test.each<{ what: string; value: string; sent: string; given?: Given }>([
    { what: 'a file is read unchanged', value: `@file:${file('a.txt', text)}`, sent: text },
    { what: 'a file loses only its byte order mark', value: `@file:${file('bom.txt', '\ufeffhello')}`, sent: 'hello' },
    { what: '@- is standard input', value: '@-', sent: text, given: { input: text } },
    { what: '@@ writes one @', value: '@@file:a.txt', sent: '@file:a.txt' },
    { what: 'any other @ is a character', value: '@ana, look', sent: '@ana, look' },
  ])('$what', async ({ value, sent, given }) => {
    const done = await rehearse([...MAKE, `prompt=${value}`], given);
    expect({ code: done.code, prompt: promptOf(done), stderr: done.stderr }).toMatchObject({ code: 0, prompt: sent });
  });

  test.each<{ what: string; value: string; says: RegExp }>([
    { what: 'a missing file', value: `@file:${join(folder, 'none.txt')}`, says: /prompt: the file .*does not exist/ },
    {
      what: 'bytes that are not UTF-8',
      value: `@file:${file('bad.txt', Buffer.from([0x61, 0xff]))}`,
      says: /not UTF-8/,
    },
  ])('$what is a usage error before any request', async ({ value, says }) => {
    const { code, stderr, requests } = await rehearse([...MAKE, `prompt=${value}`]);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expectNone(requests, 'requests');
  });

  const PROMPT = join(folder, 'p.txt');
  writeFileSync(PROMPT, 'from a file');

  scenario('dash-and-at', '- is standard input', async () => {
    expect(promptOf(await rehearse([...MAKE, 'prompt=-'], { input: text }))).toBe(text);
  });

  const AT = ['@p.txt', '@./p', '@prompts/p.txt', `@${PROMPT}`, '@C:\\p.txt', '@~/p'];
  scenario.each(AT.map((value) => ({ value })))(
    'dash-and-at',
    '$value is refused, with how to write it',
    async ({ value }) => {
      const { code, stderr, requests } = await rehearse([...MAKE, `prompt=${value}`]);
      expect({ code, sent: requests.length }).toEqual({ code: 2, sent: 0 });
      expect(stderr).toContain(`@file:${value.slice(1)}`);
      const done = await rehearse([...MAKE, `prompt=@${value}`]);
      expect(promptOf(done)).toBe(value);
    },
  );

  const FREE = ['name', 'material'].flatMap((name) =>
    ['-', '@-', '@file:d.txt', ...AT].map((value) => ({ name, value })),
  );
  scenario.each(FREE)('dash-and-at', '$name=$value does not name a file of the service', async ({ name, value }) => {
    const words = name === 'name' ? [`name=${value}`] : ['name=cog', `${name}=${value}`];
    const { code, stderr, requests } = await rehearse(['!aisec-widget-make', ...words]);
    expect({ code, sent: requests.length }).toEqual({ code: 2, sent: 0 });
    expect(stderr).toContain(`${name}: the text is typed here`);
  });

  test('standard input is read once', async () => {
    const stdin = Readable.from(['hello']);
    const words = ['runtime-scan', 'profile_name=prod', 'prompt=-', 'response=@-'];
    const { code, stderr } = await run(words, { parts: { stdin } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('can be read only once') });
  });

  scenario('dash-and-at', 'a secret is read from a file', async () => {
    const { code, requests } = await rehearse([...MAKE, `auth_config=@file:${PROMPT}`]);
    expect(code).toBe(0);
    expect(JSON.parse(requests.at(-1)?.body ?? '').auth_config).toBe('from a file');
  });

  scenario('dash-and-at', 'a service text accepts a doubled @, and other texts unchanged', async () => {
    for (const [typed, sent] of [
      ['@@file:d.txt', '@file:d.txt'],
      ['@@p.txt', '@p.txt'],
      ['@@', '@@'],
      ['@ana', '@ana'],
      ['a@b.txt', 'a@b.txt'],
    ]) {
      const { requests } = await rehearse(['!aisec-widget-make', `name=${typed}`]);
      expect(requests.some(({ body }) => body?.includes(JSON.stringify(sent)))).toBe(true);
    }
  });

  test('@- is refused if standard input is the script, and @file: is plain text there', async () => {
    const refused = await rehearse([], { input: '!aisec-widget-make name=cog prompt=@-\n' });
    expect({ code: refused.code, sent: refused.requests.length }).toEqual({ code: 2, sent: 0 });
    expect(refused.stderr).toContain('standard input holds the commands');
    const literal = await rehearse([], { input: '!aisec-widget-make name=cog prompt=@file:/etc/hosts\n' });
    expect(promptOf(literal)).toBe('@file:/etc/hosts');
  });

  test('a war room reads a file, and keeps its name in the history', async () => {
    const running = start(['--simulate'], { terminal: true, columns: 100 });
    await running.see('(simulated)');
    running.stdin.write(`!aisec-widget-make name=cog prompt=@file:${file('room.txt', 'from a file')}\r`);
    await running.see('Made widget');
    running.stdin.write('!aisec-widget-make name=cog prompt=@-\r');
    await running.see('standard input holds the commands');
    for (const value of ['prompt=-', 'prompt=@p.txt', 'material=@file:a.txt'])
      running.stdin.write(`!aisec-widget-make name=cog ${value}\r`);
    await running.see(/typed here/);
    running.stdin.write('\u0004');
    expect(await running.code).toBe(0);
    expect(promptOf(running)).toBe('from a file');
  });

  scenario('dash-and-at', 'a pipe refuses -, and treats @ as a character', async () => {
    const refused = await rehearse([], { input: '!aisec-widget-make name=cog prompt=-\n' });
    expect({ code: refused.code, sent: refused.requests.length }).toEqual({ code: 2, sent: 0 });
    const sent = await rehearse([], { input: '!aisec-widget-make name=- prompt=@p.txt material=@file:a.txt\n' });
    expect(promptOf(sent)).toBe('@p.txt');
  });
});

/** Runs a deletion on a terminal. @param answer keys typed at the question */
async function asked(argv: readonly string[], answer: string, given: Given = {}) {
  const running = start(['--simulate', ...argv], { terminal: true, columns: 100, ...given });
  await running.see('[y/N]');
  running.stdin.write(answer);
  return { code: await running.code, errors: running.errors() };
}

describe('a deletion', () => {
  const DELETE = ['!aisec-widget-delete', 'name=cog'];
  /** The result of the test command. */
  const RAN = 'cog is in use';

  scenario('deletion-question', 'truncates a name that would push the question off the screen', async () => {
    const name = `cog\n\u001b[2JKeep it?\u202e ${'x'.repeat(5000)} end`;
    const { errors } = await asked(['!aisec-widget-delete', `name=${name}`], 'n\n');
    expect(errors).toContain('Delete widget "cog\\n<U+001B>[2JKeep it?<U+202E> xxx');
    expect(errors).toMatch(/x…x+ end" on the simulated tenant 0012\? \[y\/N\]/);
    expect(errors.length).toBeLessThan(300);
  });

  scenario.each<{ answer: string; code: number; deletes: boolean }>([
    { answer: 'y\n', code: 5, deletes: true },
    { answer: 'n\n', code: 0, deletes: false },
    { answer: '\n', code: 0, deletes: false },
  ])('confirm-delete', 'answered with $answer ends with $code', async ({ answer, code, deletes }) => {
    const done = await asked(DELETE, answer);
    expect(done.code).toBe(code);
    expect(done.errors.includes(RAN)).toBe(deletes);
    expect(done.errors.includes('Nothing was deleted.')).toBe(!deletes);
  });

  scenario('confirm-delete', 'stops at Ctrl-C with 130, and deletes nothing', async () => {
    const running = start(['--simulate', ...DELETE], { terminal: true });
    await running.see('[y/N]');
    process.emit('SIGINT');
    expect(await running.code).toBe(130);
    expect(running.errors()).toContain('Nothing was deleted.');
    expect(running.errors()).not.toContain(RAN);
  });

  scenario('confirm-delete', 'reads the end of the input as no', async () => {
    const running = start(['--simulate', ...DELETE], { terminal: true });
    await running.see('[y/N]');
    running.stdin.end();
    expect(await running.code).toBe(0);
    expect(running.errors()).toContain('Nothing was deleted.');
  });

  scenario.each<{ what: string; argv: readonly string[]; given: Given; code: number }>([
    { what: '--yes', argv: [...DELETE, '--yes'], given: { terminal: true }, code: 5 },
    { what: 'standard input that is not a terminal', argv: DELETE, given: { terminal: true, input: '' }, code: 5 },
    { what: 'a pipe', argv: [], given: { terminal: true, input: `${DELETE.join(' ')}\n` }, code: 5 },
  ])('confirm-delete', 'is not asked with $what', async ({ argv, given, code }) => {
    const done = await rehearse(argv, given);
    expect(done.code).toBe(code);
    expect(done.stderr).not.toContain('[y/N]');
  });

  scenario(
    'confirm-delete',
    'in a war room reads the next line as its answer, and Ctrl-C keeps the room open',
    async () => {
      const running = start(['--simulate'], { terminal: true, columns: 100 });
      await running.see('(simulated)');
      running.stdin.write('!aisec-widget-delete name=cog\r');
      await running.see('Delete widget "cog"');
      running.stdin.write('\u0003');
      await running.see('cancelled: Nothing was deleted.');
      running.stdin.write('!aisec-widget-delete name=nut\r');
      await running.see('Delete widget "nut"');
      running.stdin.write('y\r');
      await running.see('nut is in use');
      running.stdin.write('\u0004');
      expect(await running.code).toBe(0);
      expect(running.errors()).not.toContain(RAN);
    },
  );

  scenario('confirm-delete', 'names the tenant and the record', async () => {
    const { errors } = await asked(DELETE, 'n\n');
    expect(errors).toContain('Delete widget "cog" on the simulated tenant 0012? [y/N]');
  });

  test('is refused before the question if its arguments are wrong', async () => {
    const { code, stderr } = await rehearse(['!aisec-widget-delete'], { terminal: true });
    expect(code).toBe(2);
    expect(stderr).not.toContain('[y/N]');
  });
});

describe('--exit-code', () => {
  test.each<{ argv: readonly string[]; code: number }>([
    { argv: ['!aisec-widget-get', 'nut', '--exit-code'], code: 1 },
    { argv: ['!aisec-widget-get', 'cog', '--exit-code'], code: 0 },
    { argv: ['!aisec-widget-get', 'nut', 'raw-response=true', '--exit-code'], code: 1 },
    { argv: ['!aisec-widget-get', 'cog', '--exit-code', '--dry-run'], code: 0 },
    { argv: ['!aisec-widget-make', 'name=cog', '--exit-code', '--dry-run'], code: 0 },
  ])('$argv ends with $code', async ({ argv, code }) => {
    const done = await rehearse(argv);
    expect(done.code).toBe(code);
    if (code < 2) expect(done.stdout).not.toBe('');
  });

  const ALLOWED = { action: 'allow', category: 'benign' };

  scenario.each<{ widget: Widgets[string]; code: number; why?: string }>([
    { widget: ALLOWED, code: 0 },
    { widget: { ...ALLOWED, category: 'malicious' }, code: 0 },
    { widget: { ...ALLOWED, timeout: false, error: false }, code: 0 },
    { widget: { action: 'BLOCK', category: 'malicious' }, code: 1 },
    { widget: { action: 'block', timeout: true }, code: 1 },
    { widget: { ...ALLOWED, action: 'deny' }, code: 1 },
    { widget: { ...ALLOWED, action: 'alert' }, code: 8, why: 'The action "alert" is neither allow nor block.' },
    { widget: { note: 'no action' }, code: 8, why: 'The action of the response is neither allow nor block.' },
    { widget: { ...ALLOWED, timeout: true }, code: 8, why: 'A detector timed out' },
    { widget: { ...ALLOWED, error: true }, code: 8, why: 'A detector failed' },
    { widget: { ...ALLOWED, category: 'unknown' }, code: 8, why: 'The category "unknown" is unknown' },
  ])('unknown-action', 'ends with $code for $widget', async ({ widget, code, why }) => {
    const done = await rehearse(['!aisec-widget-get', 'bolt', '--exit-code'], { widgets: { bolt: widget } });
    expect(done.code).toBe(code);
    expect(done.stderr).toContain(why ?? '');
    expect(done.stdout).not.toBe('');
  });

  test.each([
    ['runtime-scan', 'prompt=hello'],
    ['runtime-bulk-scan', 'prompts_csv=hello'],
  ])('ends with 8 on a dry run of %s, which scans nothing', async (name, content) => {
    const folder = temporaryFolder('dry');
    const words = ['profile_name=prod', content, '--files-dir', folder, '--dry-run'];
    expect(await run([name, ...words, '--exit-code'])).toMatchObject({
      ...{ code: 8, stdout: expect.stringContaining('dry_run') },
      stderr: expect.stringMatching(/nothing was scanned, so there is no verdict.*Leave out --dry-run/s),
    });
    expect((await run([name, ...words])).code).toBe(0);
  });

  test('stops reading piped commands after the first blocked verdict', async () => {
    const input = '!aisec-widget-get cog\n!aisec-widget-get nut\n!aisec-widget-get cog\n';
    const { code, stdout } = await rehearse(['--exit-code'], { input });
    expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 1, lines: 2 });
  });

  test('ends a pipe of dry runs at the first scan', async () => {
    const stdin = Readable.from(['runtime-topics-list\nruntime-scan profile_name=prod prompt=hello\n']);
    const words = ['--exit-code', '--dry-run', '--keep-going'];
    expect((await run(words, { parts: { stdin } })).code).toBe(8);
  });
});

describe('the summary of a bulk scan', () => {
  const measure = (text: string) => text.length;
  const tally: Tally = {
    title: 'profile prod',
    noun: 'prompt',
    total: 5000,
    milliseconds: 4100,
    outcomes: [
      ['blocked', 3084],
      ['allowed', 1916],
      ['errors', 0],
    ],
    parts: [
      ['injection', 612],
      ['dlp', 1238],
      ['url_cats', 616],
    ],
    file: { entry: 'run.jsonl', name: 'run.jsonl', size: 1, contentType: 'application/jsonl' },
    next: 'aisec gate bulk',
  };

  test('counts, shows totals by detector with bars, and names the file and its gate', () => {
    expect(renderTally(tally, { width: 80, measure, style: PLAIN }, 'posix')).toEqual([
      '5,000 prompts in 4.1 s   blocked 3,084 (62 %)  allowed 1,916  errors 0',
      'dlp             1,238 ████████',
      'url categories    616 ████',
      'injection         612 ████',
      'results in run.jsonl   gate it: aisec gate bulk run.jsonl',
    ]);
  });

  test.each([
    { blocked: 0, share: '0 %' },
    { blocked: 1, share: '< 1 %' },
    { blocked: 4999, share: '> 99 %' },
    { blocked: 5000, share: '100 %' },
  ])('shows neither 0 % nor 100 % for a part: $blocked', ({ blocked, share }) => {
    const outcomes: Tally['outcomes'] = [['blocked', blocked]];
    const [line] = renderTally({ ...tally, outcomes }, { width: 80, measure, style: PLAIN }, 'posix');
    expect(line).toMatch(new RegExp(`blocked [\\d,]+ \\(${share}\\)$`));
  });
});
