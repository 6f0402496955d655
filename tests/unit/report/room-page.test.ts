/** The page of the starred lines of a war room. */
import type { ReportedLine } from '../../../lib/client/report-pages.ts';
import { roomPage } from '../../../lib/features/report/room-page.ts';
import { resultTables } from '../../../lib/runtime/select/result-tables.ts';
import { byId, elementsOf, within } from './support.ts';

const MADE = { createdAt: 0, version: '1.0.0' };
const TITLE = { tenant: '7', profile: 'lab', production: false };

function lineOf(outputs: Readonly<Record<string, unknown>>, more: Partial<ReportedLine> = {}): ReportedLine {
  return {
    ...{ number: 4, line: '!aisec-redteam-scans-list', time: '2026-11-27T12:00:00.000Z', ms: 40, state: 'done' },
    ...{ verdict: null, summary: '', simulated: false, dryRun: false, stale: false, notes: [] },
    tables: resultTables({ outputs, raw: null, planned: false }, undefined),
    ...more,
  };
}

test.each([
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</style><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '&lt;b&gt;',
  'javascript:alert(1)',
  '\u202egnp.exe',
  '<!-- -->]]>',
  'x'.repeat(1_000_000),
])('shows %.40j as text', (text) => {
  const rows = Array.from({ length: 3 }, () => ({ [text]: text, name: text }));
  const outputs = { [`AiSec.${text}`]: rows, 'AiSec.One': { verdict: text, [text]: text } };
  const failure = { detail: text, hint: text };
  const line = lineOf(outputs, { line: text, summary: text, verdict: text, time: text, notes: [text], failure });
  const page = roomPage([line], { ...TITLE, profile: text }, MADE);
  const names = elementsOf(page).map(({ name }) => name);
  for (const name of ['script', 'img', 'svg', 'a']) expect(names).not.toContain(name);
  expect(page).not.toContain('\u202e');
  expect(page).not.toMatch(/<[^>]*\son\w+=/);
  expect(page.length).toBeLessThan(500_000);
});

test('has the verdict, the facts and the tables of each line', () => {
  const rows = Array.from({ length: 1200 }, (_, at) => ({ name: `scan ${at}`, score: at }));
  const more = { verdict: 'block', summary: 'BLOCK malicious', simulated: true, stale: true };
  const line = lineOf({ 'AiSec.Scan': rows }, { ...more, notes: ['More with offset=100.'] });
  const page = roomPage([line, lineOf({ 'AiSec.One': { name: 'x', empty: '' } }, { number: 5 })], TITLE, MADE);
  const elements = elementsOf(page);
  const { text } = byId(elements, 'line-4');
  expect(text).toContain('4. !aisec-redteam-scans-list');
  expect(text).toContain('BLOCK BLOCK malicious');
  expect(text).toContain('27 November 2026, 12:00 UTC, took 40 ms, simulated, ran on older context');
  expect(text).toContain('The first 1,000 rows of 1200.');
  expect(text).toContain('More with offset=100.');
  const lines = within(byId(elements, 'line-4'), 'tr');
  expect([lines.length, lines.at(-1)?.text.trim()]).toEqual([1001, 'scan 999999']);
  expect(within(byId(elements, 'line-5'), 'dt').map((term) => term.text)).toEqual(['Name']);
  expect(page).toContain('for <bdi>lab, 7</bdi>');
});
