/** Says what has happened: for a moment on the screen, and to screen readers. */
import { signal } from '@preact/signals';
import { problemFrom } from '../api.ts';

const SHOWN_MS = 6000;

export const notice = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether the latest sentence is for screen readers only, because the screen shows it anyway. */
export const isSpoken = signal(false);

export function announce(sentence: string, isShownAnyway = false): void {
  notice.value = sentence;
  isSpoken.value = isShownAnyway;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = '';
  }, SHOWN_MS);
}

/** Runs an action, and says why it failed. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    announce(problemFrom(thrown).detail);
  }
}
