/** Says what has ended, for people who do not look at it. */
import { signal } from '@preact/signals';
import type { EntryHead } from '../types.ts';

/** The latest notice, for a live region. */
export const notice = signal('');

const ENDS: Readonly<Record<EntryHead['state'], string>> = {
  done: 'finished',
  partial: 'partly done',
  failed: 'failed',
  stopped: 'was stopped',
};

/** Announces the end of a line. */
export function announceEntry({ number, state, summary }: EntryHead): void {
  notice.value = `Entry ${number} ${ENDS[state]}: ${summary}`;
}

/** Announces a sentence. */
export function announce(sentence: string): void {
  notice.value = sentence;
}
