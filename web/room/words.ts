/** Words for states and times. */
import type { Run } from '../types.ts';

interface Shown {
  readonly icon: string;
  readonly word: string;
  /** Class of the colour. */
  readonly tone: '' | 'good' | 'bad' | 'warn' | 'soft';
}

const STATES: Readonly<Record<Run['state'], Shown>> = {
  queued: { icon: '…', word: 'queued', tone: 'soft' },
  running: { icon: '◐', word: 'running', tone: '' },
  succeeded: { icon: '✓', word: 'done', tone: 'good' },
  partial: { icon: '◑', word: 'partly done', tone: 'warn' },
  failed: { icon: '✗', word: 'failed', tone: 'bad' },
  stopped: { icon: '■', word: 'stopped', tone: 'soft' },
  unknown: { icon: '?', word: 'unknown', tone: 'warn' },
  unreadable: { icon: '?', word: 'unreadable', tone: 'warn' },
};

/** Returns how the state of a run is shown. */
export function stateOf(state: Run['state']): Shown {
  return STATES[state];
}

/** Formats a duration such as `4 s`, `2 min 5 s` or `3 h 10 min`. @param end and start in milliseconds */
export function durationOf(end: number, start: number): string {
  const seconds = Math.max(0, Math.round((end - start) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
