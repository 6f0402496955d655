/**
 * Pages with hostile texts and large results, also in a browser: nothing runs, nothing is loaded, nothing escapes its markup.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createService } from '../../../fixtures/service/index.ts';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { isObject } from '../../../lib/core/json.ts';
import { reportPage } from '../../../lib/features/report/page/html.ts';
import { collect } from '../../../lib/features/scans/collect/collect.ts';
import type { CommandOutput } from '../../../lib/runtime/engine/command-port.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { environmentOfRealTime } from '../../support/machine.ts';
import { MODEL_SCANS } from '../gate/support.ts';
import { altering, byId, elementsOf, report, run, within } from './support.ts';

const { jobs } = RED_TEAM_IDS;
/** A browser that takes longer hangs. */
const HANGS_MS = 150_000;
/** This machine's browser; undefined without a browser. */
const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore', env: environmentOfRealTime() }).status === 0,
);
const QUIET = [
  ...['--headless', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--no-default-browser-check'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions'],
  ...['--enable-logging=stderr', '--dump-dom'],
];

/**
 * Opens a file in the browser, and waits until it has loaded.
 *
 * @returns the document as the browser serializes it, and the lines of its console: errors, and violations of the page's policy
 */
async function openInBrowser(file: string, more: readonly string[] = []) {
  if (browser === undefined) throw new Error('there is no browser');
  const profile = mkdtempSync(join(tmpdir(), 'aisec-browser-'));
  // The browser's sandbox does not work for root, and tests in a container run as root.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const words = [...QUIET, ...root, ...more, `--user-data-dir=${profile}`, pathToFileURL(file).href];
  // With a fake clock, the browser would wait forever.
  const child = spawn(browser, words, { env: environmentOfRealTime(), timeout: HANGS_MS });
  child.stdin.end();
  let [document, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    document += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  await new Promise((resolve) => child.on('close', resolve));
  rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return { document, console: errors.split('\n').filter((line) => /CONSOLE/.test(line)) };
}

const HOSTILE =
  '</style></title></textarea>--><script>document.documentElement.dataset.owned="1"</script><img src=x onerror="document.documentElement.dataset.owned=1">' +
  '"\'` onmouseover=x() [a](javascript:x) &lt;b&gt; {{7*7}} ${7*7} \u202eevil\u2066 \u001b[31mred\u001b]0;x\u0007 \u0000 \ud800 \u200b مرحبا ]]>';
const CONTROL = /^(COMPLETED|STATIC|DYNAMIC|CUSTOM|[0-9a-f]{8}-[0-9a-f-]{27})$/;
const NAMES = /^([A-Z_]+|\d{4}-\d\d-\d\dT.*|https:.*)$/;

/** Makes every text of a response hostile, except texts that control the program. @param spared texts to keep */
function hostile(value: unknown, spared: RegExp, text = HOSTILE): unknown {
  if (typeof value === 'string') return CONTROL.test(value) || spared.test(value) ? value : `${text} ${value}`;
  if (Array.isArray(value)) return value.map((each) => hostile(each, spared, text));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, spared, text)]));
}

const ELEMENTS =
  'html head meta link title style body main header section div h1 h2 h3 p ul ol li dl dt dd b i a bdi code span time figure figcaption blockquote table thead tbody tr th td footer svg defs linearGradient stop path circle rect text'.split(
    ' ',
  );
const ATTRIBUTES =
  'lang charset http-equiv content name rel href target class id aria-label aria-labelledby aria-hidden role dir datetime scope viewBox width height x y rx cx cy r d x1 x2 y1 y2 offset gradientUnits pathLength stroke-dasharray text-anchor'.split(
    ' ',
  );
// biome-ignore lint/suspicious/noControlCharactersInRegex: the page must not contain them
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/;

/** Writes the page for these arguments. */
async function written(words: readonly string[], given = {}) {
  const folder = temporaryFolder('page');
  const row = { row: 1, action: 'block', prompt: '<b onclick="x">', prompt_detected: { url_cats: true, dlp: true } };
  writeFileSync(join(folder, 'run.jsonl'), `${JSON.stringify(row)}\n`);
  const file = join(folder, 'page.html');
  const { code } = await run([...words.map((word) => word.replace('{folder}', folder)), '--html', file], given);
  return { folder, file, code, page: readFileSync(file, 'utf8') };
}
const COMPARE = ['compare', jobs.earlierStatic, jobs.static];

describe('hostile text', () => {
  test.each(
    [['report', jobs.static], ['report', jobs.dynamic], ['report', jobs.custom], COMPARE].flatMap((words) => [
      { words, what: 'names, prompts and answers', spared: NAMES },
      ...(words === COMPARE ? [] : [{ words, what: 'everything', spared: /^$/ }]),
    ]),
  )('in $what stays plain text: $words', async ({ words, spared }) => {
    const { code, page } = await written(words, { alter: altering('/data-plane/', (body) => hostile(body, spared)) });
    expect(code).toBe(0);
    const elements = elementsOf(page);
    const attributes = elements.flatMap((element) => Object.entries(element.attributes));
    expectNone(
      [...new Set(elements.map(({ name }) => name))].filter((name) => !ELEMENTS.includes(name)),
      'elements that a page has not',
    );
    expectNone(
      [...new Set(attributes.map(([name]) => name))].filter((name) => !ATTRIBUTES.includes(name)),
      'attributes that a page has not',
    );
    for (const [, address = ''] of attributes.filter(([name]) => name === 'href'))
      expect(address).toMatch(/^(https:\/\/docs\.example\.com\/|data:,$|#notes$)/);
    expect(elements[0]?.text.split('--><script>').length).toBeGreaterThan(20);
    expect(elements[0]?.text).toContain(
      '<U+202E>evil<U+2066> <U+001B>[31mred<U+001B>]0;x<U+0007> <U+0000> \ufffd <U+200B>',
    );
    expect(page).not.toMatch(UNSEEN);
  });

  test.each(['table', 'markdown', 'json'])(
    'of a comparison as %s sends no sequence to the terminal',
    async (format) => {
      const alter = altering('/data-plane/', (body) =>
        hostile(body, NAMES, '\u202e\u001b[31m\u0000\u200b[a](x)<script>'),
      );
      const given = { alter, terminal: { columns: 80, rows: 24 }, environment: { NO_COLOR: '1' } };
      const { stdout, code } = await run([...COMPARE, '--output', format, '--wide', '--no-pager'], given);
      expect(code).toBe(0);
      expect(stdout).toContain('Jailbreak');
      expect(stdout).not.toContain('\t');
      expect(stdout).not.toMatch(UNSEEN);
      expect(stdout).not.toContain('\t');
      if (format === 'markdown') expect(stdout).not.toMatch(/<script|\[a\]\(/);
    },
  );

  test('contains no secrets of the settings', async () => {
    const service = createService();
    const secrets = Object.entries(service.settings('http://localhost')).filter(([name]) => /SECRET|KEY/.test(name));
    expect(secrets.length).toBeGreaterThan(1);
    const { page } = await report(jobs.static, { service });
    for (const [, secret] of secrets) expect(page).not.toContain(secret);
  });
});

test('the page of a large scan is bounded, with the worst attacks first and every omission marked', async () => {
  const many = 5000;
  const long = 'A very long prompt. '.repeat(5000);
  const asked: string[] = [];
  const outputs = [long, `${long}!`].map((output) => ({ threat: true, output }));
  const ask = async (
    command: string,
    { severity, limit }: Readonly<Record<string, string>>,
  ): Promise<CommandOutput> => {
    const row = { prompt: long, severity: severity ?? 'LOW', asr: 5, sub_category: long, threat: true };
    const rows = Array.from(
      { length: Math.min(severity === 'CRITICAL' ? 150 : many, Number(limit ?? 0)) },
      (_, at) => ({
        ...row,
        uuid: `a${at}`,
      }),
    );
    if (rows.length > 0) asked.push(`${severity ?? 'any'} ${limit}`);
    const records: Readonly<Record<string, object>> = {
      'aisec-redteam-scan-get': { uuid: 'u', name: long, target_name: long, status: 'COMPLETED', job_type: 'STATIC' },
      'aisec-redteam-report-get': {
        ...{ total_attacks: 2 * many, successful_attacks: many, failed_attacks: many, report_summary: long },
      },
      'aisec-redteam-report-attack-get': { ...row, goal: long, outputs },
      'aisec-redteam-report-remediation-get': {
        remediations: Array.from({ length: 100 }, () => ({ remediation: long, description: long })),
      },
    };
    return { record: { ...records[command] }, records: rows, simulated: false };
  };
  const page = reportPage(await collect('u', ask, { createdAt: 0, version: '1', progress: () => undefined }));
  expect(asked).toEqual(['any 200', 'CRITICAL 200', 'HIGH 50']);
  expect(page.length).toBeLessThan(400_000);
  const elements = elementsOf(page);
  const others = byId(elements, 'others');
  expect(within(within(others, 'tbody')[0], 'tr')).toHaveLength(190);
  expect(others.text).toContain('The page holds 200 of 5,000 successful attacks, the worst first.');
  expect(byId(elements, 'remediation').text).toContain('40 of 100 are shown.');
  expect(within(byId(elements, 'attacks'), 'span', 'cut')[1]?.text).toMatch(/^… [\d,]+ more characters left out$/);
  const squares = within(elements[0], 'svg', 'squares')[0];
  expect([within(squares, 'rect', 'hit').length, within(squares, 'rect').length]).toEqual([50, 100]);
});

const WIDTHS = [360, 620, 700, 920, 1280];
/** A4 without its margins. */
const PAPER = 688;
/** Lists words split across lines, and elements wider than their frame. */
const LOOK = `
for (const frame of document.querySelectorAll('iframe')) {
  const { document: page, innerWidth } = frame.contentWindow;
  const found = (text) => { document.querySelector('pre').textContent += frame.title + ': ' + text + '\\n'; };
  const wide = page.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found(wide + ' pixels too wide');
  const texts = page.createTreeWalker(page.querySelector('body'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode;
    for (const { 0: whole, index: start } of data.matchAll(/\\S+/g)) {
      if (whole.includes('/')) continue;
      for (const { 0: word, index } of whole.matchAll(/\\p{L}{2,20}/gu)) {
        const range = page.createRange();
        range.setStart(texts.currentNode, start + index);
        range.setEnd(texts.currentNode, start + index + word.length);
        if (new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1) found('broken: ' + word);
      }
    }
  }
}
document.querySelector('pre').textContent += 'looked';`;

if (browser === undefined) process.stdout.write('skipped: no chromium is installed to open a page in\n');

(browser === undefined ? describe.skip : describe)('in a browser', () => {
  test('a hostile page loads nothing, runs nothing and writes nothing to the console', async () => {
    const hits: string[] = [];
    const server = createServer((request, response) => {
      hits.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const text = `</style><img src="${origin}/image" onerror="document.documentElement.dataset.owned=1"><link rel="stylesheet" href="${origin}/style">${HOSTILE}`;
    const alter = altering('/data-plane/', (body) => hostile(body, /^([A-Z_]+|\d{4}-\d\d-\d\dT.*)$/, text));
    try {
      for (const words of [COMPARE, ['report', jobs.static]]) {
        const { file, page } = await written(words, { alter });
        const opened = await openInBrowser(file);
        expect(opened.document).toContain('About this report</h2>');
        expect(opened.document).not.toMatch(/<html[^>]*data-owned/);
        expectNone(opened.console, 'messages of the browser');
        expectNone(hits, 'addresses that the page loads');
        if (words === COMPARE) continue;

        // Without the policy, the same browser runs and loads the content of a page, so the test would notice.
        writeFileSync(file, page.replace(/<meta http-equiv[^>]*>/, '').replace('<main>', `${text}<main>`));
        const open = await openInBrowser(file);
        expect(open.document).toMatch(/<html[^>]*data-owned/);
        expect(hits).toEqual(expect.arrayContaining(['/image', '/style']));

        // With the policy, nothing runs even if markup slips through.
        hits.length = 0;
        writeFileSync(file, page.replace('<main>', `${text}<main>`));
        const guarded = await openInBrowser(file);
        expect(guarded.document).not.toMatch(/<html[^>]*data-owned/);
        expect(guarded.console.join('\n')).toContain('Content Security Policy');
        expectNone(hits, 'addresses that the page loads');
      }
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }, 480_000);

  test.each([
    { words: ['report', jobs.static], text: 'The worst successful attacks' },
    { words: ['report', jobs.dynamic], text: 'Goals and streams' },
    { words: ['report', jobs.custom], text: 'Success rate by prompt set' },
    { words: COMPARE, text: 'Newly successful' },
    { words: ['report', MODEL_SCANS.blocked], text: 'No code on load' },
    { words: ['report', '{folder}/run.jsonl'], text: 'Blocked prompts' },
    { words: ['dashboard'], text: 'What needs attention' },
  ])(
    'a page opens without an error, breaks no word, and contains nothing wider than itself: $words',
    async ({ words, text }) => {
      const { folder, file, page } = await written(words);
      const opened = await openInBrowser(file);
      expectNone(opened.console, 'messages of the browser');
      expect(opened.document).toContain(text);
      expect(opened.document).not.toContain('<b onclick');
      const paper = page.replaceAll('@media screen', '@media tty').replaceAll('@media print', '@media all');
      writeFileSync(join(folder, 'paper.html'), paper);
      const frames = [...WIDTHS.map((width) => ['page.html', width] as const), ['paper.html', PAPER] as const].map(
        ([name, width]) =>
          `<iframe src="${name}" title="${name} at ${width}" style="width:${width}px;height:900px;border:0"></iframe>`,
      );
      const all = join(folder, 'all.html');
      const script = `<script>onload = () => {${LOOK}}</script>`;
      writeFileSync(all, `<!DOCTYPE html><body>${frames.join('')}<pre></pre>${script}</body>`);
      const { document } = await openInBrowser(all, ['--allow-file-access-from-files', '--hide-scrollbars']);
      const [, found = ''] = /<pre>([^<]*)looked<\/pre>/.exec(document) ?? [];
      expect(document).toContain('looked</pre>');
      expectNone(found.split('\n').filter(Boolean), 'broken words and wide parts');
    },
  );

  test('a broken page policy would be noticed', async () => {
    const file = join(temporaryFolder('browser'), 'page.html');
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
    writeFileSync(file, `<!DOCTYPE html><html><head>${policy}</head><body><script>1</script></body></html>`);
    expect((await openInBrowser(file)).console).not.toEqual([]);
  });
});
