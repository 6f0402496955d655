/** A security profile's policy in lines that a person can read; the context keeps it whole. Shapes: `docs/wire.md`. */
import { type JsonObject, objectOf, objectsOf } from '../../lib/json.ts';

/** @returns lines such as `prompt-injection: block`, or `empty` */
export function policyLines(policy: unknown): string[] {
  const models = objectsOf(objectOf(policy)['ai-security-profiles']);
  const lines = models.reduce<string[]>(
    (all, model) => all.concat(modelLines(objectOf(model['model-configuration']))),
    [],
  );
  const names = objectsOf(objectOf(policy)['dlp-data-profiles']).map((profile) => String(profile['name']));
  const all = names.length === 0 ? lines : [...lines, `dlp-data-profiles: ${names.join(', ')}`];
  return all.length === 0 ? ['empty'] : all;
}

function modelLines(configuration: JsonObject): string[] {
  const protections = [
    ...objectsOf(configuration['model-protection']),
    ...objectsOf(configuration['agent-protection']),
  ];
  const apps = objectOf(configuration['app-protection']);
  const data = objectOf(configuration['data-protection']);
  const leak = objectOf(data['data-leak-detection']);
  const latency = objectOf(configuration['latency']);
  const urls = Object.keys(apps)
    .filter((name) => name.endsWith('url-category'))
    .map((name) => line(name, namesOf(objectOf(apps[name])['member'])));
  return [
    ...protections.map(protectionLine),
    ...urls,
    line('url-detected-action', apps['url-detected-action']),
    line('data-leak-detection', [leak['action'], ...namesOf(leak['member'])].filter(Boolean).join(': ')),
    ...objectsOf(data['database-security']).map(protectionLine),
    line('inline-timeout-action', latency['inline-timeout-action']),
  ].filter((text) => text !== '');
}

function protectionLine(protection: JsonObject): string {
  const groups = objectsOf(protection['topic-list']).map(
    (group) => `${String(group['action'])} ${namesOf(group['topic']).join(', ')}`,
  );
  const topics = groups.length === 0 ? '' : ` (${groups.join('; ')})`;
  return `${String(protection['name'])}: ${String(protection['action'])}${topics}`;
}

function line(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? '' : `${name}: ${text}`;
}

function namesOf(members: unknown): string[] {
  if (!Array.isArray(members)) return [];
  return members.map((member) =>
    typeof member === 'string' ? member : String(objectOf(member)['text'] ?? objectOf(member)['topic_name'] ?? ''),
  );
}
