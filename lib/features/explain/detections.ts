/** Describes the detections of a scan report, and the topics of a security profile. */

import { list, object } from '../../core/received.ts';
import { detectorName } from '../../runtime/output/detectors.ts';
import { type Table, tableOf } from '../../runtime/output/readable.ts';
import type { Detections } from './scan-report.ts';

/** Writes the detectors that fired on one line: `injection; topics: investment-advice`. */
export function reasonsOf(detections: Detections): string {
  return detections
    .filter(({ verdict }) => verdict !== 'benign')
    .map(({ detection_service, result_detail }) => {
      // The detector determines what the details mean.
      const details = detailsOf(result_detail).map((part) => part.replace(/^[a-z ]+: /, ''));
      return [detectorName(detection_service), ...(details.length === 0 ? [] : [details.join(', ')])].join(': ');
    })
    .join('; ');
}

/** Builds the table of a report: a row for each detector that ran. */
export function detectionTable(detections: Detections): Table {
  const rows = detections.map(({ data_type, detection_service, verdict, action, result_detail }) => ({
    detector: detectorName(detection_service),
    text: data_type,
    verdict,
    action,
    details: detailsOf(result_detail).join('; '),
  }));
  // Cells wrap because no record is given; a list would cut the details.
  return tableOf(rows, { title: 'Detectors', columns: ['detector', 'text', 'verdict', 'action', 'details'] });
}

/** Lists details of a detection, such as matched topics or addresses. */
function detailsOf(detail: Detections[number]['result_detail']): string[] {
  const { topic_guardrails_report: topics, tc_report: toxic, dlp_report: dlp, cg_report: grounding } = detail;
  return [
    ...listed('blocked topic', topics.blockedTopics),
    ...listed('allowed topic', topics.allowedTopics),
    ...listed('categories', toxic.toxic_categories),
    ...named('confidence', toxic.confidence),
    ...detail.urlf_report.map(({ url, categories }) => [url, ...filled(categories)].join(' ')),
    ...named('profile', dlp.dlp_profile_name),
    ...listed(
      'patterns',
      dlp.data_pattern_detection_offsets.map(({ name }) => name),
    ),
    ...listed(
      'statements',
      detail.dbs_report.map(({ sub_type }) => sub_type),
    ),
    ...listed(
      'patterns',
      detail.agent_report.agent_patterns.map(({ category_type }) => category_type),
    ),
    ...listed(
      'code',
      detail.mc_report.code_analysis_by_type.map(({ file_type }) => file_type),
    ),
    ...named('category', grounding.category),
    ...named('explanation', grounding.explanation),
  ];
}

function listed(what: string, values: readonly unknown[]): string[] {
  const texts = [...new Set(filled(values))];
  return texts.length === 0 ? [] : [`${what}: ${texts.join(', ')}`];
}

function named(what: string, value: unknown): string[] {
  return value === undefined || value === null || value === '' ? [] : [`${what}: ${String(value)}`];
}

function filled(values: readonly unknown[]): string[] {
  return values.filter((each): each is string => typeof each === 'string' && each !== '');
}

export interface ForcedTopic {
  readonly name: string;
  readonly action: string;
}

const readPolicy = object({
  'ai-security-profiles': list({
    'model-configuration': object({
      'model-protection': list({
        name: String,
        'topic-list': list({ action: String, topic: list({ topic_name: nameIn, topic_id: nameIn }) }),
      }),
    }),
  }),
});

function nameIn(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** Finds the active topics of a policy. */
export function topicsOf(policy: unknown): readonly ForcedTopic[] {
  return readPolicy(policy)
    ['ai-security-profiles'].flatMap((profile) => profile['model-configuration']['model-protection'])
    .filter(({ name }) => name === 'topic-guardrails')
    .flatMap((guardrail) => guardrail['topic-list'])
    .flatMap(({ action, topic }) =>
      topic.map(({ topic_name, topic_id }) => ({ name: String(topic_name ?? topic_id), action })),
    );
}

/**
 * Says which topics are active, and which of them the report names as matched.
 * @param topics undefined if the profile cannot be read
 */
export function topicNote(topics: readonly ForcedTopic[] | undefined, detections: Detections): string {
  const reports = detections.map(({ result_detail }) => result_detail.topic_guardrails_report);
  const matched = new Set(
    reports.flatMap(({ blockedTopics, allowedTopics }) => filled([...blockedTopics, ...allowedTopics])),
  );
  const forced = (topics ?? []).map(({ name, action }) => `${name} (${action})`).join(', ');
  const start = forced === '' ? 'The profile names no topic. ' : `Active topics of the profile: ${forced}. `;
  const known = topics === undefined ? '' : start;
  if (matched.size > 0) return `${known}Matched: ${[...matched].join(', ')}.`;
  const admits = topics?.some(({ action }) => action === 'allow') === true;
  return `${known}The report names no matched topic${admits ? ': the text is on none of the allowed topics' : ''}.`;
}
