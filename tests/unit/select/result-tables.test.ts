/** The tables of a result, as programs draw them. */
import {
  type DeclaredTables,
  memberAt,
  resultTables,
  shownOutputs,
  type TabledResult,
} from '../../../lib/runtime/select/result-tables.ts';

function tablesIn(
  { outputs = {}, raw = null, planned = false }: Partial<TabledResult>,
  { columns = {}, outputSchema = {} }: Partial<DeclaredTables> = {},
) {
  const declared = { columns, outputSchema };
  return resultTables({ outputs: shownOutputs(outputs, declared), raw, planned }, declared);
}

test('a list shows the declared columns first, with those that only the answer has', () => {
  const outputs = { 'AiSec.Scan': [{ uuid: 'u', status: 'DONE', tsg: 1 }] };
  const columns = { 'AiSec.Scan': ['uuid', 'name', 'status', 'asr'] };
  const [table] = tablesIn({ outputs, raw: [{ uuid: 'u', name: 'weekly', other: 1 }] }, { columns });
  expect(table?.first).toEqual(['uuid', 'name', 'status']);
  expect(table?.columns.map(({ name }) => name)).toEqual(['uuid', 'name', 'status', 'tsg']);
  expect(table?.rows).toEqual([{ uuid: 'u', status: 'DONE', tsg: 1, name: 'weekly' }]);
});

test('a record shows its lists as tables of their own', () => {
  const outputs = { 'AiSec.Models': { verdict: 'BLOCKED', tags: ['a'], files: [{ path: 'x' }] } };
  const tables = tablesIn({ outputs }, { columns: { 'AiSec.Models': ['verdict'] } });
  expect(tables.map(({ path, many, title }) => [path, many, title])).toEqual([
    ['AiSec.Models', false, 'Models'],
    ['AiSec.Models.files', true, 'Files'],
  ]);
  expect(tables[0]?.columns.map(({ name }) => name)).toEqual(['verdict', 'tags']);
});

test.each([
  ['a single value', { 'AiSec.Names': 'x' }, [['AiSec.Names', false, ['']]]],
  ['a list of values', { 'AiSec.Names': ['x', 'y'] }, [['AiSec.Names', true, ['']]]],
  ['an empty list', { 'AiSec.Names': [] }, [['AiSec.Names', true, []]]],
  ['null', { 'AiSec.Names': null }, [['AiSec.Names', false, ['']]]],
  ['a dotted field', { 'AiSec.A': [{ owner: { email: 'e' } }] }, [['AiSec.A', true, ['owner.email', 'owner']]]],
])('%s becomes a table', (_, outputs, expected) => {
  const tables = tablesIn({ outputs }, { columns: { 'AiSec.A': ['owner.email'] } });
  expect(tables.map(({ path, many, columns }) => [path, many, columns.map(({ name }) => name)])).toEqual(expected);
});

test.each([
  ['AiSec.RedTeamScanGet', { score: 66.67 }, 'Risk Score of 100, higher is worse'],
  ['AiSec.RedTeamScan', [{ score: 66.67 }], 'Risk Score'],
  ['AiSec.Other', { score: 5 }, 'Score'],
])('%s says what its score means', (path, value, title) => {
  expect(tablesIn({ outputs: { [path]: value } })[0]?.columns[0]?.title).toBe(title);
});

test('secrets are hidden wherever the declaration has them', () => {
  const secret = { 'x-secret': true };
  const list = {
    type: 'array',
    items: { properties: { key: secret, inner: { items: { properties: { token: secret } } } } },
  };
  const outputSchema = { properties: { 'AiSec.Keys': list } };
  const outputs = { 'AiSec.Keys': [{ name: 'n', key: 's3cret', inner: [{ token: 's3cret' }], empty: '' }] };
  const [table] = tablesIn({ outputs }, { outputSchema });
  expect(table?.rows).toEqual([{ name: 'n', key: '(hidden)', inner: [{ token: '(hidden)' }], empty: '' }]);
});

test('a dry run shows the request that was not sent', () => {
  const raw = { dry_run: true, method: 'DELETE', url: '/x', body: null };
  const [table] = tablesIn({ raw, planned: true });
  expect([table?.title, table?.columns.map(({ name }) => name)]).toEqual(['Answer', ['method', 'url', 'body']]);
});

test.each([
  ['a list is a table whose columns have short titles', 'created_at', '2026-11-20T12:00:00Z', 'Age', 'time'],
  ['a number is read from its values', 'attack_count', 3, 'Attacks', 'number'],
  ['a decision is a state', 'file_decision', 'x', 'File Decision', 'state'],
  ['a field without a name is a value', '', 'x', 'Value', 'text'],
])('%s: %s', (_, name, value, title, kind) => {
  const [table] = tablesIn({ outputs: { 'AiSec.A': [name === '' ? value : { [name]: value }] } });
  expect(table?.columns).toEqual([{ name, title, kind }]);
});

test('the columns that come first are the first of all columns, eight without a declaration', () => {
  const row = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}`, at]));
  const [table] = tablesIn({ outputs: { 'AiSec.A': [row] } });
  expect(table?.first).toEqual(table?.columns.slice(0, 8).map(({ name }) => name));
  expect(table?.columns).toHaveLength(12);
});

test.each([
  ['a member', 'a', 1],
  ['a member inside', 'b.c', 2],
  ['a name with a dot before a member inside', 'd.e', 3],
  ['what every object inherits', 'constructor', undefined],
  ['what is not there', 'b.x.y', undefined],
])('a name finds %s', (_, name, value) => {
  expect(memberAt({ a: 1, b: { c: 2 }, 'd.e': 3, d: { e: 4 } }, name)).toBe(value);
});
