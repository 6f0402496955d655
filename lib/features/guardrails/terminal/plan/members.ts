/**
 * Renders the changed members of a resource: one line for each, or one line for all entries that a list gains and
 * loses.
 */
import { isObject } from '../../../../core/json.ts';
import type { Painted } from '../../../../hosts/terminal/result/records/record-view.ts';
import { jsonText } from '../../../../hosts/terminal/ui/json.ts';
import { sanitize } from '../../../../hosts/terminal/ui/sanitize.ts';
import { type Page, wrapped } from '../../../../hosts/terminal/ui/wrap.ts';
import type { MemberChange } from '../../../../runtime/topics/reconcile.ts';

const INDENT = '    ';
const NONE = '(none)';

/** Renders the members in order. */
export function membersLines(members: readonly MemberChange[], page: Page): string[] {
  return withLists(members).flatMap((member) => memberLines(member, page));
}

/**
 * Combines the topics that a list gains and loses into one change of the list, because only the service sets their
 * revisions.
 */
function withLists(members: readonly MemberChange[]): readonly MemberChange[] {
  const keyOf = ({ path }: MemberChange) => JSON.stringify(path.slice(0, -1));
  const lists = new Map<string, MemberChange[]>();
  for (const topic of members.filter(isTopic)) {
    const key = keyOf(topic);
    const entries = lists.get(key);
    if (entries === undefined) lists.set(key, [topic]);
    else entries.push(topic);
  }
  const actions = [...lists.values()].map(([topic]) => topic && actionOf(topic));
  return members.flatMap((member) => {
    if (!isTopic(member)) return member;
    const entries = lists.get(keyOf(member)) ?? [];
    // Without the path, the lists of two models would look the same.
    const isOnly = actions.filter((action) => action === actionOf(member)).length === 1;
    return entries[0] === member ? listOf(entries, isOnly) : [];
  });
}

/** The `block` in `topic-list.block.topic`, for one entry. */
const actionOf = ({ path }: MemberChange) => path.at(-3);

function listOf(entries: readonly MemberChange[], isOnly: boolean): MemberChange {
  const path = entries[0]?.path.slice(0, -1) ?? [];
  const [list, action, member] = path.slice(-3);
  const isNamed = isOnly && list === 'topic-list' && member === 'topic';
  const names = (side: 'before' | 'after') =>
    entries.flatMap((entry) => (entry[side] === undefined ? [] : entry.path.slice(-1)));
  return { path: isNamed ? [`topics to ${action}`] : path, before: names('before'), after: names('after') };
}

/** Reports whether a member is an added or removed entry that has only a name and a revision. */
function isTopic({ path, before, after }: MemberChange): boolean {
  const value = before ?? after;
  if ((before === undefined) === (after === undefined) || !isObject(value)) return false;
  const others = Object.entries(value).filter(([name, member]) => name !== 'topic_id' && member !== path.at(-1));
  return others.length === 1 && others[0]?.[0] === 'revision';
}

/** Renders a changed member on one line, or on several if it is too long for one. */
function memberLines({ path, before, after }: MemberChange, page: Page): string[] {
  const { width, measure, style } = page;
  const room = width - INDENT.length;
  if (!Array.isArray(before) && !Array.isArray(after)) {
    const values = `: ${valueText(before, path)} -> ${valueText(after, path)}`;
    const name = shortPath(path, room - measure(values), page);
    if (measure(name + values) <= room) return [INDENT + name + values];
  }
  const [removed, added] = [without(before, after), without(after, before)];
  const short = changedEntries(removed, added, page);
  if (short !== undefined) {
    const name = shortPath(path, room - measure(`: ${short.plain}`), page);
    if (measure(`${name}: ${short.plain}`) <= room) return [`${INDENT}${name}: ${short.painted}`];
  }
  const name = shortPath(path, room, page);
  const lines = (sign: string, paint: (text: string) => string, values: readonly unknown[]) =>
    values.flatMap((value) =>
      wrapped(valueText(value, path), room - 4, measure).map((text, at) =>
        paint(`${INDENT}  ${at === 0 ? sign : ' '} ${text}`),
      ),
    );
  return [`${INDENT}${name}`, ...lines('-', style.red, removed), ...lines('+', style.green, added)];
}

/** Writes the changed entries of a list on one line: `- investment-advice  + Stock tips`. */
function changedEntries(removed: readonly unknown[], added: readonly unknown[], { style }: Page): Painted | undefined {
  const texts = (values: readonly unknown[]) => values.map((value) => valueText(value));
  const [gone, come] = [texts(removed), texts(added)];
  // A gap inside an entry could look like the start of the next entry.
  if ([...gone, ...come].some((text) => /\s{2}|\n/.test(text))) return undefined;
  const [minus, plus] = [gone.map((text) => `- ${text}`), come.map((text) => `+ ${text}`)];
  const painted = [...minus.map((text) => style.red(text)), ...plus.map((text) => style.green(text))];
  return { plain: [...minus, ...plus].join('  '), painted: painted.join('  ') };
}

/** Returns the entries of a list that the other list lacks; a value that is not a list counts as one entry. */
function without(value: unknown, other: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return value === undefined ? [] : [value];
  const left = new Map<string, number>();
  const countOf = (key: string) => left.get(key) ?? 0;
  for (const entry of Array.isArray(other) ? other : []) {
    const key = JSON.stringify(entry);
    left.set(key, countOf(key) + 1);
  }
  return value.filter((entry) => {
    const key = JSON.stringify(entry);
    left.set(key, countOf(key) - 1);
    return countOf(key) < 0;
  });
}

/** Joins the names; if there is no space for all, keeps the last names, which identify the member best. */
function shortPath(path: readonly string[], room: number, { measure }: Page): string {
  const names = path.map(nameInLine);
  for (let skipped = 0; skipped + 3 < names.length; skipped += 1) {
    const shown = skipped === 0 ? names : [names[0], '…', ...names.slice(skipped + 1)];
    if (measure(shown.join('.')) <= room) return shown.join('.');
  }
  return names.length > 3 ? [names[0], '…', ...names.slice(-2)].join('.') : names.join('.');
}

/** @param path of the value: an entry of a list does not repeat its key */
function valueText(value: unknown, path: readonly string[] = []): string {
  if (value === undefined || value === null) return NONE;
  if (typeof value === 'string') return textValue(value);
  if (!isObject(value)) return jsonText(value);
  const members = Object.entries(value).filter(([name, member]) => name !== 'topic_id' && member !== path.at(-1));
  const isFlat = members.every(([, member]) => typeof member !== 'object');
  // The entry has only its key.
  if (members.length === 0) return 'listed';
  return isFlat ? flatText(members) : jsonText(Object.fromEntries(members));
}

function flatText(members: readonly (readonly [string, unknown])[]): string {
  return members.map(([name, member]) => `${nameInLine(name)}: ${valueText(member)}`).join(', ');
}

/** Quotes a string that could be misread, or that has invisible characters. */
function textValue(text: string): string {
  const isPlain = sanitize(text) === text && /^[^\s"](?:.*\S)?$/.test(text) && text !== NONE && !text.includes(' -> ');
  return isPlain ? text : jsonText(text);
}

/** Returns a name in a form that fits into a line. */
export function nameInLine(name: string): string {
  return sanitize(name).replace(/\s+/g, ' ');
}
