import { boolean, record, string, unknown } from '../../lib/output/record.ts';
import { scanVerdict } from '../../lib/output/verdict.ts';

const detectors = {
  dlp: boolean('Whether sensitive data was found.'),
  toxic_content: boolean('Whether toxic content was found.'),
  topic_violation: boolean('Whether a custom topic was violated.'),
  url_cats: boolean('Whether an address of a blocked category was found.'),
  malicious_code: boolean('Whether malicious code was found.'),
  agent: boolean('Whether a threat to an agent was found.'),
};

export const RuntimeScan = record(
  'AiSec.RuntimeScan',
  'Runtime Scan',
  'scan_id',
  {
    action: string('Verdict of the scan: allow or block.', { required: true }),
    category: string('Category of the verdict, such as benign or malicious.'),
    detected: boolean('Whether any detector found a threat in the prompt or in the response.', {
      derive: (wire) => [wire['prompt_detected'], wire['response_detected']].some(anyTrue),
    }),
    prompt_detected: unknown('Detectors that ran on the prompt, each with its result.', {
      members: { injection: boolean('Whether a prompt injection was found.'), ...detectors },
    }),
    response_detected: unknown('Detectors that ran on the response; empty when no response was scanned.', {
      derive: (wire) => wire['response_detected'] ?? {},
      members: {
        ...detectors,
        db_security: boolean('Whether a database statement was found that the profile does not allow.'),
        ungrounded: boolean('Whether the response is not grounded in its context.'),
      },
    }),
    profile_name: string('Name of the security profile that decided.'),
    profile_id: string('Identifier of the security profile that decided.'),
    prompt: string('The prompt that was scanned.', { argument: 'prompt' }),
    response: string('The response that was scanned; null when there was none.', { argument: 'response' }),
    scan_id: string('Identifier of the scan.'),
    report_id: string('Identifier of the scan report.'),
    tr_id: string('Correlation id of the request, or one that the service generated.'),
    session_id: string('Session id of the request, or one that the service generated.'),
    source: string('Where the scan request came from.'),
    timeout: boolean('Whether a detector timed out.'),
    error: boolean('Whether a detector failed.'),
    errors: unknown('Detectors that failed or timed out.'),
  },
  { headline: ['action', 'category', 'profile_name'], verdict: scanVerdict },
);

function anyTrue(flags: unknown): boolean {
  return typeof flags === 'object' && flags !== null && Object.values(flags).some((flag) => flag === true);
}
