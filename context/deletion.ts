/** What the answers to a delete have in common. */
import { boolean, string, type Wire } from '../lib/output/record.ts';

export const message = string('What the service said.');

const DENIAL = /\b(not|cannot|fail|failed|failure|error|unable|denied|refused)\b/i;

/** A 2xx that says in words that nothing was deleted is not taken for a success. */
function confirmed({ message: said }: Wire): boolean {
  return typeof said !== 'string' || /success/i.test(said) || !DENIAL.test(beforeName(said));
}

export const deleted = boolean('Whether the service confirmed the deletion.', { derive: confirmed });

/** The same where the service may say `is_success` itself. */
export const succeeded = boolean('Whether the service did it.', {
  derive: (wire) => wire['is_success'] ?? confirmed(wire),
});

/** Outcome of a deletion that the service confirms with an empty body. */
export const statusText = (success: string) =>
  string('What became of it.', { derive: (wire) => (confirmed(wire) ? success : wire['message']) });

// The name of what was deleted may hold any word.
function beforeName(said: string): string {
  return said.split(':')[0] ?? '';
}
