/** The question before a deletion: identifiers come first, and no argument can forge anything in it. */
import { deletionOf } from '../../../lib/runtime/engine/deletion.ts';
import { commandOf } from '../../support/declared.ts';
import { expectNone } from '../../support/expect-none.ts';
import { subjects } from '../../system/laws/subjects.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const deletions = subjects.filter(({ command }) => command.effect === 'delete');

scenario.each([
  { name: 'aisec-runtime-topics-delete', typed: { topic_id: 't1', force: false }, says: 'Delete custom topic "t1"' },
  {
    name: 'aisec-runtime-topics-delete',
    typed: { updated_by: 'a@example.com', force: true, topic_id: 't1' },
    says: 'Delete custom topic "t1" (force=true, updated_by "a@example.com")',
  },
  {
    name: 'aisec-runtime-api-keys-delete',
    typed: { updated_by: 'a@example.com', api_key_name: 'k' },
    says: 'Delete runtime API key "k" (updated_by "a@example.com")',
  },
  {
    name: 'aisec-model-security-labels-delete',
    typed: { keys: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], scan_uuid: 's' },
    says: 'Delete labels of a scan: scan_uuid "s", keys "a", "b", "c", "d", "e" and 2 more',
  },
  { name: 'aisec-runtime-dlp-patterns-delete', typed: { pattern_id: 'p' }, says: 'Archive DLP data pattern "p"' },
])('deletion-question', '$name asks: $says', ({ name, typed, says }) => {
  expect(deletionOf(commandOf(name), typed)).toBe(says);
});

const HOSTILE = [
  { what: 'a long name', value: 'y'.repeat(100_000) },
  { what: 'many lines', value: '\n'.repeat(5000) },
  { what: 'a second question', value: 'x" on tenant 1? [y/N]\r\nDelete custom topic "y' },
  { what: 'escape sequences', value: '\u001b[2J\u001b]0;title\u0007\u009b31m'.repeat(50) },
  { what: 'right-to-left text', value: '\u202e\u2066gnp\u200f'.repeat(50) },
  { what: 'invisible characters', value: '\u200b\ufeff\u00ad\u{e0041}'.repeat(50) },
  { what: 'halves of surrogate pairs', value: '\ud83d'.repeat(99) + '😀'.repeat(99) },
  { what: 'line separators', value: '\u2028\u2029\u0085\v\f' },
];

scenario.each(HOSTILE)('deletion-question', '$what in any argument stays inside its quotes', ({ value }) => {
  const found: string[] = [];
  for (const { name, command } of deletions) {
    const names = Object.keys(command.args);
    const typed = Object.fromEntries(names.map((each) => [each, each === 'force' ? true : value]));
    const question = deletionOf(command, typed, () => value);
    const outside = question.replace(/"(?:[^"\\]|\\.)*"/g, '""');
    if (/[^\x20-\x7e]/.test(outside) || outside.includes('?')) found.push(`${name}: ${outside}`);
    if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(question)) found.push(`${name}: shows an unseen character`);
    if (question.length > 100 + names.length * 460) found.push(`${name}: ${question.length} characters`);
  }
  expectNone(found, 'questions that an argument can forge');
  expect(deletions.length).toBeGreaterThan(10);
});

scenario('deletion-question', 'names that differ only in an invisible character do not look alike', () => {
  const asked = (topic_id: string) => deletionOf(commandOf('aisec-runtime-topics-delete'), { topic_id });
  expect(asked('prod\u200b')).toBe('Delete custom topic "prod<U+200B>"');
  expect(asked(`${'x'.repeat(200)}1`)).not.toBe(asked(`${'x'.repeat(200)}2`));
});
