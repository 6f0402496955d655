/** Writes the values of a single record for a person: states with their mark, times to the second, maps without brackets. */
import { isDeeper, isObject, receivedJson } from '../../../../core/json.ts';
import type { Field } from '../../../../output/record.ts';
import { kindOf } from '../../../../project/printed.ts';
import { stateOf } from '../cells.ts';

/** States of the record itself: an action or a category may be a setting. */
const STATE = /(?:^|_)(?:status|state|outcome|verdict|severity|result)$/;
const RATE = /(?:^|_)(?:asr|rate)$/;
const NUMBERS = /^[\w.-]+: \d+(?:\n[\w.-]+: \d+)+$/;
const FLAG = /^([\w.-]+: )(true|false)$/;
/** Deeper values are easier to read as JSON. */
const MAX_DEPTH = 3;
const MEMBER = /^([\w.-]+: )?([[{].*[\]}])$/;

/** Returns the text of a field. */
export function recordValue(name: string, field: Field, text: string): string {
  const kind = kindOf(name, field);
  if (kind === 'flag') return flagWord(text);
  if (kind === 'time') return text.replace(/(:\d\d)\.\d+(?=Z|$)/, '$1');
  if (kind === 'number') return RATE.test(name) && text !== '' ? `${text} %` : text;
  if (kind === 'state' && STATE.test(name)) return stateOf(text).text;
  return field.type === 'Unknown' ? membersOf(text) : text;
}

/** Writes a map: counts on one line, and nested values without brackets. Members that are not set are left out. */
function membersOf(text: string): string {
  const set = text.replace(/^[\w.-]+: (?:\[\]|\{\})?(?:\n|$)/gm, '').replace(/\n$/, '');
  if (NUMBERS.test(set)) return counts(set);
  return set
    .split('\n')
    .map((line) => withoutBrackets(line.replace(FLAG, (_, name: string, flag: string) => name + flagWord(flag))))
    .join('\n');
}

function flagWord(text: string): string {
  return text === 'true' ? 'yes' : text === 'false' ? 'no' : text;
}

/** `total: 6`, `active: 5`, `failed: 0` becomes `6 total · 5 active`. */
function counts(text: string): string {
  const all = text.split('\n').map((line) => line.split(': '));
  const filled = all.filter(([, count]) => count !== '0');
  const shown = filled.length === 0 ? all.slice(0, 1) : filled;
  return shown.map(([name = '', count = '']) => `${count} ${name.replace(/_/g, ' ')}`).join(' · ');
}

function withoutBrackets(line: string): string {
  const [, name = '', json = ''] = MEMBER.exec(line) ?? [];
  const value = json === '' ? undefined : receivedJson(json);
  return value === undefined || isDeeper(value, MAX_DEPTH) ? line : name + words(value, ', ');
}

function words(value: unknown, between: string): string {
  if (Array.isArray(value)) return value.map((item) => words(item, ' ')).join(between);
  if (!isObject(value)) return flagWord(String(value));
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${words(member, ' | ')}`)
    .join(', ');
}
