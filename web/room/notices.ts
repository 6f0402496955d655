/** Says what has happened: for a moment on the screen, and to screen readers. */
import { signal } from '@preact/signals';

const SHOWN_MS = 6000;

/** The latest sentence. */
export const notice = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Announces a sentence. */
export function announce(sentence: string): void {
  notice.value = sentence;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = '';
  }, SHOWN_MS);
}
