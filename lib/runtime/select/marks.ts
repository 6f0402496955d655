/** The marks of states, beside their words. */

export interface Mark {
  readonly sign: string;
  readonly colour: 'green' | 'red' | 'yellow' | 'dim';
}

const MARKS: readonly (Mark & { readonly words: string })[] = [
  { sign: '✓', colour: 'green', words: 'done completed complete success passed pass allowed allow benign' },
  { sign: '✓', colour: 'green', words: 'active activated online enabled validated approved ready created updated' },
  {
    sign: '✗',
    colour: 'red',
    words: 'failed fail failure error blocked block malicious aborted offline rejected unsafe',
  },
  { sign: '◐', colour: 'yellow', words: 'partial partially_complete' },
  { sign: '◔', colour: 'yellow', words: 'running in_progress profiling validating' },
  { sign: '…', colour: 'dim', words: 'queued pending init draft' },
  { sign: '·', colour: 'dim', words: 'allowing' },
  { sign: '·', colour: 'dim', words: 'not_configured not_tested not_available' },
  {
    sign: '·',
    colour: 'dim',
    words: 'inactive unactivated disabled archived revoked expired deleted skipped info informational',
  },
  // A higher mark means a higher severity.
  { sign: '█', colour: 'red', words: 'critical' },
  { sign: '▆', colour: 'red', words: 'high' },
  { sign: '▄', colour: 'yellow', words: 'medium' },
  { sign: '▂', colour: 'dim', words: 'low' },
  { sign: '!', colour: 'yellow', words: 'warning alert blocking' },
];

const BY_WORD = new Map(
  MARKS.flatMap(({ words, ...mark }) => words.split(' ').map((word): [string, Mark] => [word, mark])),
);

/** Returns the mark of a state in lower case, with underscores; undefined for an unknown state. */
export function stateMark(state: string): Mark | undefined {
  return BY_WORD.get(state);
}
