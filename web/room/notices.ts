/** Says what has happened, for people who do not look at it. */
import { signal } from '@preact/signals';

/** The latest sentence, for a live region. */
export const notice = signal('');

/** Announces a sentence. */
export function announce(sentence: string): void {
  notice.value = sentence;
}
