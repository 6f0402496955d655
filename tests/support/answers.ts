/** Answers of the scanner, each with the only correct way to read it. */

import type { NoVerdict } from '../../lib/runtime/output/verdict.ts';

export interface ReadAnswer {
  readonly what: string;
  readonly answer: Readonly<Record<string, unknown>>;
  /** The decision, or why there is none. */
  readonly reading: 'allow' | 'block' | NoVerdict;
}

/** A complete allow. */
export const ALLOWED = {
  action: 'allow',
  category: 'benign',
  timeout: false,
  error: false,
  errors: [],
  prompt_detected: { injection: false },
  response_detected: {},
  scan_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  report_id: 'R7c9e6679-7425-40de-944b-e07fc1f90ae7',
  profile_name: 'prod',
} as const;

const FAILED = { timeout: true, error: true, errors: [{ feature: 'dlp' }], category: 'error' };

function changed(reading: ReadAnswer['reading'], changes: Readonly<Record<string, unknown>>): ReadAnswer {
  const all: Readonly<Record<string, unknown>> = { ...ALLOWED, ...changes };
  const answer = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return {
    what: JSON.stringify(changes, (_, value: unknown) => (value === undefined ? '(missing)' : value)),
    answer,
    reading,
  };
}

const each = (reading: ReadAnswer['reading'], member: string, ...values: readonly unknown[]) =>
  values.map((value) => changed(reading, { [member]: value }));

export const ANSWERS: readonly ReadAnswer[] = [
  changed('allow', {}),
  ...each('allow', 'action', 'ALLOW', 'Allow'),
  ...each('allow', 'category', 'BENIGN', 'malicious'),
  ...each('allow', 'errors', undefined, null),
  ...each('allow', 'prompt_detected', { dlp: true }, { dlp: 'true' }, {}),
  changed('allow', { scan_id: undefined, report_id: null }),
  changed('allow', { prompt_detected: undefined }),
  changed('allow', { prompt_detected: undefined, response_detected: undefined, tool_detected: {} }),
  ...each('block', 'action', 'block', 'BLOCK', ' block\n', 'blocked', 'deny', 'Denied', 'reject', 'rejected', 'refuse'),
  changed('block', { action: 'refused', ...FAILED }),
  changed('block', {
    action: 'block',
    category: undefined,
    timeout: undefined,
    error: undefined,
    prompt_detected: null,
  }),
  ...each(
    'action',
    'action',
    undefined,
    null,
    '',
    'ALLOW ',
    ' allow',
    'allowed',
    'alert',
    'unblock',
    true,
    ['allow'],
    {},
  ),
  changed('action', { action: 'alert', ...FAILED }),
  ...each('timeout', 'timeout', true, 'true', 'TRUE', 1, 'yes'),
  ...each('timeout', 'category', 'timeout', 'Timeout'),
  changed('timeout', FAILED),
  ...each('error', 'error', true, 'true', 1, 'a detector failed'),
  ...each('error', 'errors', [{ feature: 'dlp' }], [null], {}, { feature: 'dlp' }, '', 'none', true, false, 0),
  ...each('error', 'category', 'error', 'ERROR'),
  ...each('category', 'category', undefined, null, '', 'unknown', 'benign ', ' malicious', ['benign'], 0),
  ...each('missing', 'timeout', undefined, null, '', 0, {}, []),
  ...each('missing', 'error', undefined, null, '', 0, {}, []),
  ...[undefined, null, [], 'dlp', true].map((none) =>
    changed('missing', { prompt_detected: none, response_detected: none, tool_detected: none }),
  ),
];
