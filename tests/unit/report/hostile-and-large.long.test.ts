import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createService } from '../../../fixtures/service/index.ts';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { isObject } from '../../../lib/core/json.ts';
import type { CommandOutput } from '../../../lib/engine/run-command.ts';
import { collect } from '../../../lib/features/report/collect/collect.ts';
import { escaped, html, link } from '../../../lib/features/report/page/escape.ts';
import { reportPage } from '../../../lib/features/report/page/html.ts';
import { expectNone } from '../../support/expect-none.ts';
import { browser, openInBrowser } from './browser.ts';
import { altering, byId, elementsOf, report, within } from './support.ts';

const { jobs } = RED_TEAM_IDS;
const TYPES = [
  { type: 'STATIC', job: jobs.static },
  { type: 'DYNAMIC', job: jobs.dynamic },
  { type: 'CUSTOM', job: jobs.custom },
];

const HOSTILE =
  '</style></title></textarea>--><script>document.documentElement.dataset.owned="1"</script><img src=x onerror="document.documentElement.dataset.owned=1">' +
  '"\'` onmouseover=x() javascript:x() &lt;b&gt; {{7*7}} ${7*7} \u202eevil\u2066 \u001b[31mred\u001b]0;x\u0007 \u0000 \ud800 \u200b مرحبا ]]>';
/** A text that the page shows. */
const SHOWN = '</style></title></textarea>--><script>';

const CONTROL = /^(COMPLETED|STATIC|DYNAMIC|CUSTOM|[0-9a-f]{8}-[0-9a-f-]{27})$/;

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
  'lang charset http-equiv content name rel href class id aria-label aria-labelledby aria-hidden role dir datetime scope viewBox width height x y rx cx cy r d x1 x2 y1 y2 offset gradientUnits pathLength stroke-dasharray text-anchor'.split(
    ' ',
  );

describe('hostile text', () => {
  test.each(
    TYPES.flatMap((each) => [
      { ...each, what: 'names, prompts and answers', spared: /^([A-Z_]+|\d{4}-\d\d-\d\dT.*|https:.*)$/ },
      { ...each, what: 'everything', spared: /^$/ },
    ]),
  )('in $what of a $type scan stays plain text', async ({ job, spared }) => {
    const { code, page } = await report(job, { alter: altering('/data-plane/', (body) => hostile(body, spared)) });
    expect(code).toBe(0);
    const elements = elementsOf(page);
    const names = [...new Set(elements.map(({ name }) => name))];
    expectNone(
      names.filter((name) => !ELEMENTS.includes(name)),
      'elements that a report has not',
    );
    const attributes = elements.flatMap((element) => Object.entries(element.attributes));
    const given = [...new Set(attributes.map(([name]) => name))];
    expectNone(
      given.filter((name) => !ATTRIBUTES.includes(name)),
      'attributes that a report has not',
    );
    for (const [, address = ''] of attributes.filter(([name]) => name === 'href')) {
      expect(address).toMatch(/^(https:\/\/docs\.example\.com\/|data:,$|#notes$)/);
    }
    expect(elements[0]?.text.split(SHOWN).length).toBeGreaterThan(20);
    expect(elements[0]?.text).toContain(
      '<U+202E>evil<U+2066> <U+001B>[31mred<U+001B>]0;x<U+0007> <U+0000> \ufffd <U+200B>',
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/);
  });

  test.each([
    ['<a href="x">\'`', '&lt;a href=&quot;x&quot;&gt;&#39;&#96;'],
    ['a\r\nb\u2028c\td', 'a\nb\nc\td'],
    ['\ud83d\ude00 \ud83d \ude00', '\ud83d\ude00 \ufffd \ufffd'],
    ['\ufeff\u00ad\u2060\u3164', '&lt;U+FEFF&gt;&lt;U+00AD&gt;&lt;U+2060&gt;&lt;U+3164&gt;'],
    ['\u{e0041}\u{e007f}', '&lt;U+E0041&gt;&lt;U+E007F&gt;'],
    ['ig\u200bno\u200dre', 'ig&lt;U+200B&gt;no&lt;U+200D&gt;re'],
    ['\u{1f469}\u200d\u{1f680} می\u200cخواهم', '\u{1f469}\u200d\u{1f680} می\u200cخواهم'],
  ])('%j is written as %j', (text, expected) => {
    expect(escaped(text)).toBe(expected);
    expect(html`<p title="${text}">${text}</p>`.toString()).toBe(`<p title="${expected}">${expected}</p>`);
  });

  test.each([
    ['https://docs.example.com/a?b=1&c="', true],
    ['http://docs.example.com', true],
    ['javascript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['data:text/html,<script>', false],
    ['//evil.example', false],
    ['https:evil', false],
    [`https://${'a'.repeat(400)}`, false],
  ])('%j may be a link: %s', (address, allowed) => {
    expect(link(address).toString().startsWith('<a ')).toBe(allowed);
  });

  test('an object in the data is not rendered as markup', () => {
    const forged = JSON.parse('{"text": "<script>", "toString": "x"}') as string;
    expect(() => html`${forged}`.toString()).toThrow();
  });

  test('the secrets of the settings are not on the page', async () => {
    const service = createService();
    const secrets = Object.entries(service.settings('http://localhost')).filter(([name]) => /SECRET|KEY/.test(name));
    expect(secrets.length).toBeGreaterThan(1);
    const { page } = await report(jobs.static, { service });
    for (const [, secret] of secrets) expect(page).not.toContain(secret);
  });
});

describe('the size of a page', () => {
  const many = 5000;
  const long = 'A very long prompt. '.repeat(5000);
  const asked: string[] = [];
  const ask = async (command: string, args: Readonly<Record<string, string>>): Promise<CommandOutput> => {
    const answer = (record: object, records: readonly object[] = []): CommandOutput => ({
      record: { ...record },
      records: records.map((each) => ({ ...each })),
      simulated: false,
    });
    const row = { prompt: long, severity: args['severity'] ?? 'LOW', asr: 5, sub_category: long, threat: true };
    switch (command) {
      case 'aisec-redteam-scan-get':
        return answer({ uuid: 'u', name: long, target_name: long, status: 'COMPLETED', job_type: 'STATIC' });
      case 'aisec-redteam-report-get':
        return answer({
          total_attacks: 2 * many,
          successful_attacks: many,
          failed_attacks: many,
          report_summary: long,
        });
      case 'aisec-redteam-report-attacks-list': {
        asked.push(`${args['severity'] ?? 'any'} ${args['limit']}`);
        const there = args['severity'] === 'CRITICAL' ? 150 : many;
        const rows = Array.from({ length: Math.min(there, Number(args['limit'])) }, (_, index) => ({
          ...row,
          uuid: `a${index}`,
        }));
        return answer({}, rows);
      }
      case 'aisec-redteam-report-attack-get':
        return answer({
          ...row,
          goal: long,
          outputs: [
            { threat: true, output: long },
            { threat: true, output: `${long}!` },
          ],
        });
      default:
        return answer({ remediations: Array.from({ length: 100 }, () => ({ remediation: long, description: long })) });
    }
  };

  test('is bounded, with the worst attacks first and every omission marked', async () => {
    const data = await collect('u', ask, { createdAt: 0, version: '1', progress: () => undefined });
    const page = reportPage(data);
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
});

if (browser === undefined) process.stdout.write('skipped: no chromium is installed to open a report in\n');
const inBrowser = browser === undefined ? test.skip : test;

describe('in a browser', () => {
  inBrowser(
    'a hostile page loads nothing, runs nothing and says nothing on the console',
    async () => {
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
        const { file, page } = await report(jobs.static, { alter });
        const opened = await openInBrowser(file);
        expect(opened.document).toContain('About this report</h2>');
        expect(opened.document).not.toMatch(/<html[^>]*data-owned/);
        expectNone(opened.console, 'messages of the browser');
        expectNone(hits, 'addresses that the page loads');

        // The same browser does run and load what stands in a page without the policy: so it would have been seen.
        writeFileSync(file, page.replace(/<meta http-equiv[^>]*>/, '').replace('<main>', `${text}<main>`));
        const open = await openInBrowser(file);
        expect(open.document).toMatch(/<html[^>]*data-owned/);
        expect(hits).toEqual(expect.arrayContaining(['/image', '/style']));

        // And with it, nothing runs even where markup should slip through.
        hits.length = 0;
        writeFileSync(file, page.replace('<main>', `${text}<main>`));
        const guarded = await openInBrowser(file);
        expect(guarded.document).not.toMatch(/<html[^>]*data-owned/);
        expect(guarded.console.join('\n')).toContain('Content Security Policy');
        expectNone(hits, 'addresses that the page loads');
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    },
    480_000,
  );
});
