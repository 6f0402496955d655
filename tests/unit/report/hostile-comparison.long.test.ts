/** A comparison of scans whose texts attack the page, in the browser too. */
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { isObject } from '../../../lib/core/json.ts';
import { expectNone } from '../../support/expect-none.ts';
import { browser, openInBrowser } from './browser.ts';
import { compared } from './comparison-support.ts';
import { altering, elementsOf } from './support.ts';

const { jobs } = RED_TEAM_IDS;

const HOSTILE =
  '</style></title>--><script>document.documentElement.dataset.owned="1"</script><img src=x onerror="x()">"\'` [a](javascript:x) \u202e \u001b[31m \u0000 \u200b';
const KEPT = /^(COMPLETED|STATIC|[A-Z_]+|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT.*)$/;

function hostile(value: unknown): unknown {
  if (typeof value === 'string') return KEPT.test(value) ? value : `${value} ${HOSTILE}`;
  if (Array.isArray(value)) return value.map(hostile);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each)]))
    : value;
}

const ELEMENTS =
  'html head meta link title style body main header section div h1 h2 h3 p ul ol li dl dt dd b i bdi code span time figure figcaption blockquote table thead tbody tr th td footer svg defs linearGradient stop path circle text'.split(
    ' ',
  );

describe('hostile text', () => {
  const alter = altering('/data-plane/', hostile);

  test('stays text on the page', async () => {
    const { code, page } = await compared(jobs.earlierStatic, jobs.static, { alter });
    expect(code).toBe(0);
    const elements = elementsOf(page);
    expectNone(
      [...new Set(elements.map(({ name }) => name))].filter((name) => !ELEMENTS.includes(name)),
      'elements that a comparison has not',
    );
    expect(elements[0]?.text.split('<script>').length).toBeGreaterThan(20);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/);
  });

  test.each(['table', 'markdown', 'json'])('as %s sends no sequence to the terminal', async (format) => {
    const terminal = { columns: 80, rows: 24 };
    const environment = { NO_COLOR: '1' };
    const more = ['--output', format, '--wide', '--no-pager'];
    const { stdout, code } = await compared(jobs.earlierStatic, jobs.static, { alter, terminal, environment, more });
    expect(code).toBe(0);
    expect(stdout).toContain('Jailbreak');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u200b]/);
    if (format === 'markdown') expect(stdout).not.toMatch(/<script|\[a\]\(/);
  });
});

const inBrowser = browser === undefined ? test.skip : test;

inBrowser(
  'a browser opens it without a message on the console, and runs nothing',
  async () => {
    const { file } = await compared(jobs.earlierStatic, jobs.static, { alter: altering('/data-plane/', hostile) });
    const opened = await openInBrowser(file);
    expect(opened.document).toContain('About this report</h2>');
    expect(opened.document).not.toMatch(/<html[^>]*data-owned/);
    expectNone(opened.console, 'messages of the browser');
  },
  240_000,
);
