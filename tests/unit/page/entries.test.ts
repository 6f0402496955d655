import { cut, flagsIn, lineText, markedState, spentTime, textOf, titleText } from '../../../web/entries/cells.ts';
import { fileName, written, writtenHeads } from '../../../web/entries/exports.ts';
import {
  arranged,
  CHIPS,
  type Chip,
  chosen,
  filtered,
  nextOrder,
  rowSpan,
  rowsOf,
  sorted,
} from '../../../web/entries/order.ts';
import { hintParts } from '../../../web/line/text.ts';
import type { TableColumn } from '../../../web/types.ts';
import { columnNamed, headOf } from './rooms.ts';

const MILLION = 1_000_000;

test.each([
  ['null', null, ''],
  ['a flag', true, 'yes'],
  ['a number', 0.25, '0.25'],
  ['a list', ['a', 1, null, { b: 2 }], 'a, 1, , b: 2'],
  ['an object', { a: 1, b: [2] }, 'a: 1, b: [2]'],
  ['detectors', { injection: true, dlp: false, toxic_content: false }, 'found: injection; clear: dlp, toxic content'],
  ['detectors that found nothing', { dlp: false }, 'clear: dlp'],
])('a cell shows %s as text', (_, value, text) => {
  expect(textOf(value)).toBe(text);
});

test.each([
  ['markup stays text', '<b onload=x>', '<b onload=x>'],
  ['lines become one', 'one\n\t two', 'one two'],
  ['direction marks are spelled out', 'a\u202etxt.exe', 'a<U+202E>txt.exe'],
  ['escapes are dropped', 'a\u001b[31mb\u0000', 'a[31mb'],
  ['a long text is cut', 'x'.repeat(400), `${'x'.repeat(300)}…`],
  ['no character is cut in half', `${'x'.repeat(299)}😀😀`, `${'x'.repeat(299)}…`],
])('in a row, %s', (_, text, line) => {
  expect(lineText(text)).toBe(line);
});

test('a million characters become a short cell and a short tooltip', () => {
  expect(lineText('\u202e'.repeat(MILLION)).length).toBeLessThan(310);
  expect(titleText('x'.repeat(MILLION))).toHaveLength(2001);
  expect(cut('x'.repeat(5), 5)).toBe('xxxxx');
});

test('only an object of true and false is a set of detectors', () => {
  expect([flagsIn({}), flagsIn({ a: 1 }), flagsIn([true]), flagsIn('x')]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ['BLOCKED', '✗', 'blocked'],
  ['allow', '✓', 'allow'],
  ['PARTIALLY_COMPLETE', '◐', 'partial'],
  ['strange', undefined, 'strange'],
  ['constructor', undefined, 'constructor'],
])('the state %s has a mark beside its word', (text, sign, word) => {
  const state = markedState(text);
  expect([state.sign, state.word]).toEqual([sign, word]);
});

test.each([
  [7, '7 ms'],
  [440, '440 ms'],
  [12_300, '12 s'],
  [125_000, '2 min 5 s'],
])('a duration of %i ms reads %s', (ms, text) => {
  expect(spentTime(ms)).toBe(text);
});

test.each<[string, string, readonly unknown[], boolean, readonly unknown[]]>([
  ['numbers by size', 'n', [10, 9, 100], false, [9, 10, 100]],
  ['numbers in texts by size', 'n', ['10', '9', '-1.5'], false, ['-1.5', '9', '10']],
  ['severities from critical on', 'severity', ['LOW', 'critical', 'High'], false, ['critical', 'High', 'LOW']],
  [
    'times by moment',
    'created_at',
    ['2026-02-01T00:00:00Z', '2026-01-31T23:00:00-05:00'],
    true,
    ['2026-01-31T23:00:00-05:00', '2026-02-01T00:00:00Z'],
  ],
  ['texts whatever their case', 'name', ['b', 'A', 'c'], true, ['c', 'b', 'A']],
  ['values that are missing last', 'n', [null, 2, '', 1], true, [2, 1, null, '']],
  ['numbers before words', 'n', ['x', 3], false, [3, 'x']],
  ['flags', 'on', [false, true], false, [true, false]],
])('sorting puts %s', (_, name, values, down, expected) => {
  const rows = values.map((value) => ({ [name]: value }));
  expect(sorted(rows, columnNamed(name, values), down).map((row) => Object(row)[name] as unknown)).toEqual(expected);
});

test('a click on a head sorts up, then down, then not at all', () => {
  const up = nextOrder(undefined, 'a');
  const down = nextOrder(up, 'a');
  expect([up, down, nextOrder(down, 'a'), nextOrder(down, 'b')]).toEqual([
    { name: 'a', down: false },
    { name: 'a', down: true },
    undefined,
    { name: 'b', down: false },
  ]);
});

test.each([
  ['one word', 'CRIT', 1],
  ['words of several fields', 'crit chat', 1],
  ['a word of a nested value', 'deep', 1],
  ['a word that is nowhere', 'nowhere', 0],
  ['nothing', ' ', 3],
])('the filter of a table finds %s', (_, filter, count) => {
  const rows = [{ s: 'critical', t: 'Chat' }, { s: 'low', t: { a: ['deep'] } }, 'plain'];
  expect(filtered(rows, filter)).toHaveLength(count);
});

test('the rows of a table are chosen, then sorted', () => {
  const rows = [{ n: 2 }, { n: 10 }, { n: 1 }];
  const table = { path: 'AiSec.A', title: 'A', many: true, first: ['n'], columns: [columnNamed('n', [2])], rows };
  expect(rowsOf(table, '1', { name: 'n', down: true })).toEqual([{ n: 10 }, { n: 1 }]);
  expect(rowsOf(table, '', undefined)).toEqual(rows);
});

const HEADS = [
  headOf(1, { summary: '3 scans', by: 'me' }),
  headOf(2, { state: 'failed', summary: 'refused', line: '!aisec-x name=<b>' }),
  headOf(3, { verdict: 'block', starred: true, by: 'me' }),
  headOf(4, { verdict: 'BLOCKED', state: 'partial', starred: true }),
];

test.each<[string, string, readonly Chip[], readonly number[]]>([
  ['nothing', '', [], [1, 2, 3, 4]],
  ['words of the summary', '3 scans', [], [1]],
  ['a word of the line, as text', '<b>', [], [2]],
  ['failed', '', ['failed'], [2, 4]],
  ['blocked', '', ['blocked'], [3, 4]],
  ['failed or blocked', '', ['failed', 'blocked'], [2, 3, 4]],
  ['starred ones of this tab', '', ['starred', 'mine'], [3]],
  ['every chip', '', CHIPS, [3]],
])('searching for %s finds these entries', (_, text, chips, numbers) => {
  const found = chosen(HEADS, text, new Set(chips), 'me');
  expect(found.map(({ number }) => number)).toEqual(numbers);
});

test('an entry that was run again in place replaces the earlier entry, also twice', () => {
  const heads = [headOf(1), headOf(2), headOf(3, { run: 'r3' }), headOf(4, { run: 'r4' }), headOf(5, { run: 'r5' })];
  const places = new Map([
    ['r3', 1],
    ['r5', 3],
    ['r9', 2],
  ]);
  expect(arranged(heads, places).map(({ number }) => number)).toEqual([5, 2, 4]);
});

test('only rows near the visible part are drawn', () => {
  expect(rowSpan(10_000, 28, 140_000, 336, 56)).toEqual({ from: 4998, to: 5014, before: 139_944, after: 139_608 });
  expect(rowSpan(3, 28, 140_000, 336, 56)).toEqual({ from: 3, to: 3, before: 84, after: 0 });
});

test.each([
  ['See the scans with: !aisec-scans-list', ['See the scans with: ', '!aisec-scans-list']],
  ['Did you mean "!aisec-scan-get"?', ['Did you mean "', '!aisec-scan-get', '"?']],
  ['Wait: !aisec-scan-get uuid=a.b. Then go on.', ['Wait: ', '!aisec-scan-get uuid=a.b', '. Then go on.']],
  ['Run !aisec-unknown-thing first.', ['Run ', '!aisec-unknown-thing', ' first.']],
  ['Try aisec-scan-get name="a b" twice', ['Try ', '!aisec-scan-get name="a b"', ' twice']],
])('the commands in the hint %j are found', (hint, expected) => {
  const known = ['aisec-scans-list', 'aisec-scan-get'];
  const parts = hintParts(hint, (name) => known.includes(name));
  expect(parts.map((part) => ('line' in part ? part.line : part.text))).toEqual(expected);
});

const COLUMNS: readonly TableColumn[] = [columnNamed('a', ['x']), columnNamed('b', [1])];

test.each([
  ['a formula', '=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
  ['a formula behind a direction mark', '\u202e+1', "'\u202e+1"],
  ['a line end', 'a\r\n=b', `"a\r\n'=b"`],
])('CSV is safe against %s', (_, a, cell) => {
  expect(written('CSV', 'T', COLUMNS, [{ a, b: -1 }]).text).toBe(`a,b\r\n${cell},-1\r\n`);
});

test('JSON has the columns that are seen, and nested values whole', () => {
  const { text, ending } = written('JSON', 'T', COLUMNS, [{ a: { deep: [1] }, c: 2 }]);
  expect(JSON.parse(text)).toEqual([{ a: { deep: [1] }, b: null }]);
  expect(ending).toBe('json');
});

test('markdown has no active markup', () => {
  const { text } = written('markdown', 'T', COLUMNS, [{ a: '<img src=x> [a](javascript:b) |\n# x' }]);
  expect(text).toContain('| &lt;img src=x&gt; \\[a\\](javascript:b) \\|<br># x |  |');
});

test('the list of entries is exported with what is seen of it', () => {
  expect(writtenHeads('CSV', HEADS.slice(1, 2)).text.split('\r\n')[1]).toBe(
    '2,2026-11-27T12:00:00.000Z,!aisec-x name=<b>,failed,,refused,,40,false',
  );
});

test('the name of a file has no path in it', () => {
  expect(fileName({ path: 'AiSec.A/../../etc "x"' }, 7)).toBe('entry-7-AiSec.A-..-..-etc-x-');
});
