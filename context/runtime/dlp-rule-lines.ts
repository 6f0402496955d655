/** Formats the detection rules of a data profile for tables. Shapes: `docs/wire.md`. */
import { asText, type JsonObject, objectOf, objectsOf } from '../../lib/core/json.ts';

/** Formats one line per rule, such as `Card Number or (Iban and not Test Data)`. */
export function ruleLines(rules: unknown): string[] {
  return objectsOf(rules).map(ruleLine);
}

function ruleLine(rule: JsonObject): string {
  const type = asText(rule['rule_type'] ?? 'rule');
  const profiles = objectOf(rule['multi_profile']);
  const ids: unknown = profiles['data_profile_ids'];
  if (Array.isArray(ids)) return `${type}: data profiles ${ids.map(asText).join(` ${operatorOf(profiles)} `)}`;
  return `${type}: ${nodeText(objectOf(rule['expression_tree']), 0)}`;
}

function nodeText(node: JsonObject, depth: number): string {
  const item = objectOf(node['rule_item']);
  const own = item['name'] ?? item['id'] ?? item['detection_technique'];
  const operator = operatorOf(node);
  const parts = [
    ...(own === undefined ? [] : [`${item['match_type'] === 'exclude' ? 'no ' : ''}${asText(own)}`]),
    ...objectsOf(node['sub_expressions']).map((inner) => nodeText(inner, depth + 1)),
  ];
  const text = parts.length === 1 && operator === 'not' ? `not ${parts.join('')}` : parts.join(` ${operator} `);
  return parts.length > 1 && depth > 0 ? `(${text})` : text;
}

function operatorOf(node: JsonObject): string {
  return asText(node['operator_type'] ?? 'and').replace('_', ' ');
}
