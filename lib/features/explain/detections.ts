/** Describes the detections of a scan report, and the topics of a security profile. */
import { type JsonObject, objectOf, objectsOf } from '../../engine/json.ts';
import { type Table, tableOf } from '../../output/readable.ts';

/** Names of detectors, by the service's words. */
const NAMES: Readonly<Record<string, string>> = {
  pi: 'injection',
  dlp: 'dlp',
  tc: 'toxic content',
  topic_guardrails: 'topics',
  tg: 'topics',
  uf: 'url categories',
  urlf: 'url categories',
  malicious_code: 'malicious code',
  mc: 'malicious code',
  agent_security: 'agent',
  agent: 'agent',
  dbs: 'database security',
  contextual_grounding: 'grounding',
  cg: 'grounding',
};

/** Writes on one line what fired, and on what: `injection; topics: investment-advice`. */
export function reasonsOf(detections: readonly JsonObject[]): string {
  return detections
    .filter(({ verdict }) => verdict !== 'benign')
    .map(({ detection_service, result_detail }) => {
      // The detector says what the details are.
      const details = detailsOf(objectOf(result_detail)).map((part) => part.replace(/^[a-z ]+: /, ''));
      return [nameOf(detection_service), ...(details.length === 0 ? [] : [details.join(', ')])].join(': ');
    })
    .join('; ');
}

function nameOf(service: unknown): string {
  return NAMES[String(service)] ?? String(service);
}

/** Builds the table of a report: a row for each detector that ran. */
export function detectionTable(detections: readonly JsonObject[]): Table {
  const rows = detections.map(({ data_type, detection_service, verdict, action, result_detail }) => ({
    detector: nameOf(detection_service),
    text: data_type,
    verdict,
    action,
    details: detailsOf(objectOf(result_detail)).join('; '),
  }));
  // Without a record its cells wrap: a list would cut the details.
  return tableOf(rows, { title: 'Detectors', columns: ['detector', 'text', 'verdict', 'action', 'details'] });
}

/** Lists what a report adds to the verdict, such as matched topics or addresses. */
function detailsOf(detail: JsonObject): string[] {
  return Object.entries(detail).flatMap(([name, report]) => (name.endsWith('_snippets') ? [] : partsOf(name, report)));
}

function partsOf(name: string, report: unknown): string[] {
  const one = objectOf(report);
  switch (name) {
    case 'topic_guardrails_report':
      return [listed('blocked topic', one['blockedTopics']), listed('allowed topic', one['allowedTopics'])].flat();
    case 'tc_report':
      return [...listed('categories', one['toxic_categories']), ...named('confidence', one['confidence'])];
    case 'urlf_report':
      return objectsOf(report).map(({ url, categories }) => [url, ...textsOf(categories)].join(' '));
    case 'dlp_report':
      return [
        ...named('profile', one['dlp_profile_name']),
        ...listed(
          'patterns',
          objectsOf(one['data_pattern_detection_offsets']).map((each) => each['name']),
        ),
      ];
    case 'dbs_report':
      return listed(
        'statements',
        objectsOf(report).map(({ sub_type }) => sub_type),
      );
    case 'agent_report':
      return listed(
        'patterns',
        objectsOf(one['agent_patterns']).map(({ category_type }) => category_type),
      );
    case 'mc_report':
      return listed(
        'code',
        objectsOf(one['code_analysis_by_type']).map(({ file_type }) => file_type),
      );
    case 'cg_report':
      return [...named('category', one['category']), ...named('explanation', one['explanation'])];
    default:
      return [];
  }
}

function listed(what: string, values: unknown): string[] {
  const texts = [...new Set(textsOf(values))];
  return texts.length === 0 ? [] : [`${what}: ${texts.join(', ')}`];
}

function named(what: string, value: unknown): string[] {
  return value === undefined || value === null || value === '' ? [] : [`${what}: ${String(value)}`];
}

function textsOf(values: unknown): string[] {
  return (Array.isArray(values) ? values : []).filter(
    (each): each is string => typeof each === 'string' && each !== '',
  );
}

/** A topic of a security profile. */
export interface ForcedTopic {
  readonly name: string;
  readonly action: string;
}

/** Finds the topics that a policy has in force. */
export function topicsOf(policy: unknown): readonly ForcedTopic[] {
  return objectsOf(objectOf(policy)['ai-security-profiles'])
    .flatMap((profile) => objectsOf(objectOf(profile['model-configuration'])['model-protection']))
    .filter(({ name }) => name === 'topic-guardrails')
    .flatMap((guardrail) => objectsOf(guardrail['topic-list']))
    .flatMap(({ action, topic }) =>
      objectsOf(topic).map(({ topic_name, topic_id }) => ({
        name: String(topic_name ?? topic_id),
        action: String(action),
      })),
    );
}

/**
 * Says which topics are in force, and which of them the report names as matched.
 * @param topics undefined if the profile cannot be read
 */
export function topicNote(topics: readonly ForcedTopic[] | undefined, detections: readonly JsonObject[]): string {
  const reports = detections.map(({ result_detail }) => objectOf(objectOf(result_detail)['topic_guardrails_report']));
  const matched = new Set(
    reports.flatMap(({ blockedTopics, allowedTopics }) => [blockedTopics, allowedTopics].flatMap(textsOf)),
  );
  const forced = (topics ?? []).map(({ name, action }) => `${name} (${action})`).join(', ');
  const start = forced === '' ? 'The profile names no topic. ' : `Topics of the profile in force: ${forced}. `;
  const known = topics === undefined ? '' : start;
  if (matched.size > 0) return `${known}Matched: ${[...matched].join(', ')}.`;
  const admits = topics?.some(({ action }) => action === 'allow') === true;
  return `${known}The report names no matched topic${admits ? ': the text is on none of the allowed topics' : ''}.`;
}
