import { resultTables } from '../../../lib/runtime/select/result-tables.ts';
import { reportOf } from '../../../web/entries/report.ts';
import { detailOf, resultOf } from './rooms.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</style><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '&lt;b&gt;',
  'javascript:alert(1)',
  '\u202egnp.exe',
  '<!-- -->]]>',
  'x'.repeat(1_000_000),
];

function hostileReport(text: string): string {
  const rows = Array.from({ length: 3 }, () => ({ [text]: text, name: text }));
  const result = resultOf({
    outputs: { [`AiSec.${text}`]: rows, 'AiSec.One': { verdict: text, [text]: text } },
    notes: [text],
  });
  const detail = detailOf(1, {
    ...{ line: text, summary: text, verdict: text, time: text, result },
    problem: { status: 400, code: 'x', detail: text, hint: text },
  });
  return reportOf([{ detail, tables: resultTables({ ...result, raw: null }, undefined) }], text, text);
}

test.each(HOSTILE)('the report shows %.40j as text', (text) => {
  const page = hostileReport(text);
  const tags = new Set([...page.matchAll(/<\/?([a-z0-9!]+)/gi)].map(([, name]) => name));
  const known =
    'doctype html head meta title style body h1 h2 h3 p bdi section code table thead tbody tr th td dl dt dd';
  expect([...tags].filter((tag) => !`! !${known}`.split(' ').includes(tag ?? ''))).toEqual([]);
  expect(page).not.toContain('\u202e');
  for (const [, attributes = ''] of page.matchAll(/<(?:bdi|td|th|p|section|code|h\d|d[ltd])\b([^>]*)>/g)) {
    expect(['', ' class="facts"', ' class="problem"']).toContain(attributes);
  }
});

test('the report forbids scripts and requests, and stays small with huge texts', () => {
  const page = hostileReport('x'.repeat(1_000_000));
  expect(page).toContain(`default-src 'none'; style-src 'unsafe-inline'`);
  expect(page.length).toBeLessThan(500_000);
});

test('the report has the verdict, the facts and the tables of each entry', () => {
  const result = resultOf({
    outputs: { 'AiSec.Scan': Array.from({ length: 1200 }, (_, at) => ({ name: `scan ${at}`, score: at })) },
    notes: ['More with offset=100.'],
  });
  const detail = detailOf(4, { verdict: 'block', summary: 'BLOCK malicious', simulated: true, stale: true, result });
  const page = reportOf([{ detail, tables: resultTables({ ...result, raw: null }, undefined) }], 'today', 'tenant 7');
  for (const part of [
    '✗ BLOCK',
    'BLOCK malicious',
    'simulated',
    'ran on older context',
    'scan 999',
    'More with offset=100.',
  ])
    expect(page).toContain(part);
  expect(page).toContain('The first 1000 of 1200 rows.');
  expect(page).toContain('<td class="end"><bdi>999</bdi></td>');
});
