/** Names of the detectors for people; the service abbreviates them. */
const NAMES: Readonly<Record<string, string>> = {
  pi: 'injection',
  dlp: 'dlp',
  tc: 'toxic content',
  topic_guardrails: 'topics',
  tg: 'topics',
  uf: 'url categories',
  url_cats: 'url categories',
  urlf: 'url categories',
  malicious_code: 'malicious code',
  mc: 'malicious code',
  agent_security: 'agent',
  agent: 'agent',
  dbs: 'database security',
  contextual_grounding: 'grounding',
  cg: 'grounding',
};

/** Returns the name of a detector, or the service's own if it is not known. */
export function detectorName(service: string): string {
  return Object.hasOwn(NAMES, service) ? (NAMES[service] ?? service) : service;
}
