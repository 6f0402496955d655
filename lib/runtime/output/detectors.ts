/** The service's detectors: which of them judge prompts, and what people call them. */
import { isOwn } from '../../core/text/own.ts';

/** Detectors of prompts; a bulk scan has no responses. */
export const DETECTORS: readonly string[] = [
  'agent',
  'dlp',
  'injection',
  'malicious_code',
  'source_code',
  'topic_violation',
  'toxic_content',
  'url_cats',
];

/** Names of the detectors for people; the service abbreviates them. */
const NAMES: Readonly<Record<string, string>> = {
  pi: 'injection',
  dlp: 'dlp',
  tc: 'toxic content',
  topic_guardrails: 'topics',
  tg: 'topics',
  topic_violation: 'topics',
  uf: 'url categories',
  url_cats: 'url categories',
  urlf: 'url categories',
  malicious_code: 'malicious code',
  mc: 'malicious code',
  agent_security: 'agent',
  agent: 'agent',
  dbs: 'database security',
  db_security: 'database security',
  contextual_grounding: 'grounding',
  cg: 'grounding',
};

/** Returns the name of a detector; splits an unknown name into words. */
export function detectorName(service: string): string {
  const known = isOwn(NAMES, service) ? NAMES[service] : undefined;
  return known ?? service.replace(/_/g, ' ');
}
