/** Formats the policy of a security profile for tables. Shapes: `docs/wire.md`. */
import { asText, type JsonObject, objectOf, objectsOf } from '../../lib/core/json.ts';

/** Formats lines such as `prompt-injection: block`, or `empty`. */
export function policyLines(policy: unknown): string[] {
  const models = objectsOf(objectOf(policy)['ai-security-profiles']);
  const lines = models.reduce<string[]>(
    (all, model) => all.concat(modelLines(objectOf(model['model-configuration']))),
    [],
  );
  const names = objectsOf(objectOf(policy)['dlp-data-profiles']).map((profile) => asText(profile['name']));
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
    line(
      'data-leak-detection',
      [leak['action'] ?? '', ...namesOf(leak['member'])].filter(Boolean).map(asText).join(': '),
    ),
    ...objectsOf(data['database-security']).map(protectionLine),
    line('inline-timeout-action', latency['inline-timeout-action']),
  ].filter((text) => text !== '');
}

function protectionLine(protection: JsonObject): string {
  const groups = objectsOf(protection['topic-list']).map(
    (group) => `${asText(group['action'])} ${namesOf(group['topic']).join(', ')}`,
  );
  const topics = groups.length === 0 ? '' : ` (${groups.join('; ')})`;
  return `${asText(protection['name'])}: ${asText(protection['action'])}${topics}`;
}

function line(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.map(asText).join(', ') : asText(value ?? '');
  return text === '' ? '' : `${name}: ${text}`;
}

function namesOf(members: unknown): string[] {
  if (!Array.isArray(members)) return [];
  return members.map((member) =>
    typeof member === 'string' ? member : asText(objectOf(member)['text'] ?? objectOf(member)['topic_name'] ?? ''),
  );
}
