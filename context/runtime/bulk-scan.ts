import { number, record, string, unknown, type Wire } from '../../lib/runtime/output/record.ts';
import { bulkVerdict, CAUSES, DECISIONS } from '../../lib/runtime/output/verdict.ts';
import { RuntimeScan } from './scan.ts';

const { action, category, detected, prompt_detected, timeout, error, errors, decision, decision_cause } =
  RuntimeScan.fields;
const { scan_id, report_id, session_id, profile_id, prompt } = RuntimeScan.fields;

const extension = true;

/** One entry of `results`, and one line of the file with all results. */
export const BulkResult = {
  path: 'AiSec.BulkScan.results',
  fields: {
    row: number('Number of the prompt in the input, counted from 1.', { argument: 'row' }),
    ...{ action, category, detected, prompt_detected, timeout },
    error: { ...error, description: 'Whether a detector failed; why, where there is no verdict.' },
    ...{ errors, decision, decision_cause },
    status: string('How the scan ended: complete, failed, timed_out, missing, unknown or error.', {
      argument: 'status',
      choices: ['complete', 'failed', 'timed_out', 'missing', 'unknown', 'error'],
    }),
    ...{ scan_id, report_id, session_id, profile_id, prompt },
  },
} as const;

/** A run updates the record of its profile and session, or only of its profile if there is no session. */
export const BulkScan = record(
  'AiSec.BulkScan',
  'Bulk Scan',
  ['profile_name', 'session_id'],
  {
    profile_name: string('Name of the security profile that decided.', { argument: 'profile_name' }),
    session_id: string('Session id of the request; it groups the scans.', { argument: 'session_id' }),
    total: number('Number of prompts; it is the sum of the three counts that follow.', { required: true }),
    blocked: number('Number of prompts with the action block.', { required: true }),
    allowed: number('Number of prompts with the action allow.', { required: true }),
    errors: number('Number of prompts without a verdict, or with an action other than allow and block.', {
      required: true,
    }),
    results: unknown('Results of the individual scans, in the order of the prompts.', {
      hidden: true,
      isList: true,
      members: BulkResult.fields,
    }),
    file: string('Name of the file with every result, written if results or a table do not show all of them.', {
      extension,
      hidden: true,
    }),
    decision: string('Overall verdict: block if any result is blocked, allow if all are allowed, otherwise none.', {
      extension,
      choices: DECISIONS,
      derive: decisionOf,
    }),
    decision_cause: string('Why there is no decision: the cause of the first undecided result.', {
      extension,
      choices: CAUSES,
      derive: (wire) => (decisionOf(wire) === 'none' ? (wire['cause'] ?? 'missing') : undefined),
    }),
  },
  { verdict: bulkVerdict },
);

function decisionOf(wire: Wire): string {
  const verdict = bulkVerdict(wire);
  return typeof verdict === 'string' ? verdict : 'none';
}
