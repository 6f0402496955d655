import { objectOf } from '../../lib/core/json.ts';
import { boolean, date, record, string, unknown, type Wire } from '../../lib/runtime/output/record.ts';
import { CAUSES, DECISIONS, detectorsOf, readVerdict, scanVerdict } from '../../lib/runtime/output/verdict.ts';

const detectors = {
  dlp: boolean('Whether sensitive data was found.'),
  toxic_content: boolean('Whether toxic content was found.'),
  topic_violation: boolean('Whether a custom topic was violated.'),
  url_cats: boolean('Whether an address of a blocked category was found.'),
  malicious_code: boolean('Whether malicious code was found.'),
  agent: boolean('Whether a threat to an agent was found.'),
};

const extension = true;

// Functions create the members, so that the native bundle can drop the members with their documentation.
const masked = () => ({
  data: string('The text, with the sensitive data masked.'),
  pattern_detections: unknown('What was masked: the name of each pattern, and its locations.', {
    isList: true,
    members: {
      pattern: string('Name of the pattern.'),
      locations: unknown('Start and end of each match, counted in characters.'),
    },
  }),
});

const details = () => ({
  topic_guardrails_details: unknown('Topics of the text.', {
    members: {
      allowed_topics: unknown('Topics that the profile allows.'),
      blocked_topics: unknown('Topics that the profile blocks.'),
    },
  }),
  toxic_content_details: unknown('Toxic content of the text.', {
    members: { toxic_categories: unknown('Categories of the toxic content.') },
  }),
});

const inTool = () => ({
  detection_entries: unknown('Findings in each text of the tool, kept as sent.'),
});

const tool = () => ({
  verdict: string('Verdict of the call: malicious or benign.'),
  metadata: unknown('The tool, as the request named it.', {
    members: {
      ecosystem: string('Protocol of the tool.'),
      method: string('Method of the call.'),
      server_name: string('Name of the server.'),
      tool_invoked: string('Name of the tool.'),
    },
  }),
  summary: unknown('Findings in input and output together.', {
    members: {
      detections: unknown('Detectors that ran, each with its result.'),
      threats: unknown('Names of the threats.'),
    },
  }),
  input_detected: unknown('Findings in the input.', { members: inTool() }),
  output_detected: unknown('Findings in the output.', { members: inTool() }),
});

export const RuntimeScan = record(
  'AiSec.RuntimeScan',
  'Runtime Scan',
  'scan_id',
  {
    action: string('Verdict of the scan: allow or block.', { required: true }),
    category: string('Category of the verdict, such as benign or malicious.'),
    detected: boolean('Whether any detector found a threat in the prompt, in the response or in the tool call.', {
      derive: (wire) => detectorsOf(wire).length > 0,
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
    tr_id: string('Correlation id of the request; without it, the id that the service generated.'),
    session_id: string('Session id of the request; without it, the id that the service generated.'),
    source: string('Where the scan request came from.'),
    timeout: boolean('Whether a detector timed out.'),
    error: boolean('Whether a detector failed.'),
    errors: unknown('Detectors that failed or timed out.'),
    decision: string('Overall verdict: allow (only of a complete scan), block or none.', {
      extension,
      choices: DECISIONS,
      derive: (wire) => readVerdict(wire).decision,
    }),
    decision_cause: string('Why there is no decision: timeout, error, action, category or missing.', {
      extension,
      choices: CAUSES,
      derive: causeOf,
    }),
    transaction_id: string('Identifier of this turn of the session.', { extension }),
    prompt_masked_data: unknown('The prompt with its sensitive data masked.', {
      extension,
      members: masked(),
      show: maskedText,
    }),
    response_masked_data: unknown('The response with its sensitive data masked.', {
      extension,
      members: masked(),
      show: maskedText,
    }),
    prompt_detection_details: unknown('Topics and toxic content of the prompt.', {
      extension,
      members: details(),
      hidden: true,
    }),
    response_detection_details: unknown('Topics and toxic content of the response.', {
      extension,
      members: details(),
      hidden: true,
    }),
    tool_detected: unknown('Findings in the tool call.', { extension, members: tool(), show: toolText }),
    created_at: date('Start of the scan.', { extension, hidden: true }),
    completed_at: date('End of the scan.', { extension, hidden: true }),
  },
  {
    headline: ['decision', 'decision_cause', 'category', 'profile_name'],
    summary: (wire) => {
      const reading = readVerdict(wire);
      const { category, profile_name } = wire;
      const decision = reading.decision === 'none' ? `none (${reading.cause})` : reading.decision;
      return { decision, category, detectors: reading.detectors.join(', '), profile_name };
    },
    verdict: scanVerdict,
  },
);

function causeOf(wire: Wire): unknown {
  const reading = readVerdict(wire);
  return reading.decision === 'none' ? reading.cause : undefined;
}

function maskedText(masked: unknown): unknown {
  return objectOf(masked)['data'];
}

/** Shows the verdict and what was found, without the findings of each text. */
function toolText(value: unknown): unknown {
  const { verdict, metadata, summary } = objectOf(value);
  const found = objectOf(summary)['threats'];
  const threats = Array.isArray(found) && found.length > 0 ? found.join(', ') : undefined;
  return [verdict, objectOf(metadata)['tool_invoked'], threats].filter((part) => typeof part === 'string').join(', ');
}
