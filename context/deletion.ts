/** Fields of deletion results. */
import { boolean, string, type Wire } from '../lib/runtime/output/record.ts';

export const message = string('Message of the service.');

const DENIAL = /\b(not|cannot|fail|failed|failure|error|unable|denied|refused)\b/i;

/** Reports whether a 2xx response confirms the deletion, which its message may contradict. */
function confirmed({ message }: Wire): boolean {
  return typeof message !== 'string' || /success/i.test(message) || !DENIAL.test(beforeName(message));
}

export const deleted = boolean('Whether the service confirmed the deletion.', { derive: confirmed });

/** Outcome of a change whose response may contain `is_success`. */
export const succeeded = boolean('Whether the operation succeeded.', {
  derive: (wire) => wire['is_success'] ?? confirmed(wire),
});

/** Outcome of a deletion that the service confirms with an empty body. */
export const statusText = (success: string) =>
  string('Result of the deletion.', { derive: (wire) => (confirmed(wire) ? success : wire['message']) });

// The name after the colon may contain any word.
function beforeName(message: string): string {
  return message.split(':')[0] ?? '';
}
