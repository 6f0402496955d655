/** Shows what needs attention when the war room opens. */
import { GREETING_RECORDS, type Greeting } from '../../../features/dashboard/greeting.ts';
import type { Attention } from '../../../features/dashboard/model.ts';
import { isUuid, oneLine, stateOf } from '../render/cells.ts';
import { sanitize } from '../render/sanitize.ts';
import { cut, cutAtStart, cutAtWord, cutBetweenWords, type Page, wrapped } from '../render/wrap.ts';

const MAX_LINES = 3;
const GAP = '  ';
/** A line with less room for its text names the dashboard instead of a longer command. */
const NARROWEST_TEXT = 24;
/** What follows a name is left out in less room, or if it is this short, always kept. */
const DETAIL_WIDTH = 16;
/** From this width on, ids stand in full. */
const ROOMY = 120;
const SHORT_ID = 8;
const MAX_LENGTH = 500;
const ALL = 'dashboard';
const FAILED = '. Check with: doctor';
/** A service's id that is no plain word must not become part of a command. */
const PLAIN_COMMAND = /^[\w .=-]+$/;

interface Row {
  readonly state: ReturnType<typeof stateOf>;
  readonly subject: string;
  readonly detail: string;
  readonly command: string;
}

/** A list shows an expired key dimmed; here it needs attention. */
const OWN_STATES: Readonly<Record<string, Row['state']>> = {
  expires: { text: '! expires', mark: { sign: '!', colour: 'yellow' } },
  expired: { text: '✗ expired', mark: { sign: '✗', colour: 'red' } },
};

/** Renders what was found, in lines that fit the page. */
export function greetingLines({ attention, unread, newestOnly, failure }: Greeting, page: Page): readonly string[] {
  const { style, width } = page;
  const plain = (text: string) => oneLine(sanitize(text.slice(0, MAX_LENGTH)));
  const fitted = (text: string) => cut(plain(text), page);
  if (failure !== undefined) {
    // Two lines, because the cause of a failure stands at the end of its sentence.
    const text = cutAtWord(plain(`Nothing read: ${failure}`), width * 2 - FAILED.length * 2, page.measure);
    return wrapped(text + FAILED, width, page.measure);
  }
  const more = attention.length - MAX_LINES;
  const rows = rowsOf(chosen(attention), page);
  const isClear = attention.length === 0 && unread.length === 0;
  return [
    ...rows,
    ...(more > 0 ? [`${more} more: ${ALL}`] : []),
    ...(isClear ? [fitted(clearText(newestOnly))] : []),
    ...(unread.length === 0
      ? []
      : [style.dim(fitted(`Not read: ${unread.map(({ what, why }) => `${what} (${why})`).join(', ')}.`))]),
  ];
}

/** Chooses the most urgent, but at least one of each kind: blocked models must not hide a key that expires. */
function chosen(attention: readonly Attention[]): readonly Attention[] {
  const first = attention.filter((item, at) => attention.findIndex(({ kind }) => kind === item.kind) === at);
  const others = attention.filter((item) => !first.includes(item));
  const kept = [...first, ...others].slice(0, MAX_LINES);
  return attention.filter((item) => kept.includes(item));
}

function clearText(newestOnly: readonly string[]): string {
  if (newestOnly.length === 0) return 'Nothing needs attention.';
  return `Nothing needs attention in the newest ${GREETING_RECORDS} ${newestOnly.join(' and ')}. More: ${ALL}`;
}

function rowsOf(attention: readonly Attention[], page: Page): readonly string[] {
  const { width, measure } = page;
  const rows = attention.map((item) => rowOf(item, width));
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, measure(text)), 0);
  const stateWidth = widest(rows.map(({ state }) => state.text));
  const space = width - stateWidth - GAP.length * 2;
  const commands = rows.map(({ command }) => (space - command.length < NARROWEST_TEXT ? ALL : command));
  const texts = rows.map((row, at) => textOf(row, space - (commands[at] ?? '').length, page));
  const textWidth = widest(texts);
  return rows.map(({ state }, at) => {
    const [text = '', command = ''] = [texts[at], commands[at]];
    const gap = ' '.repeat(Math.max(0, Math.min(textWidth, space - command.length) - measure(text)));
    return [painted(state, stateWidth, page), text + gap, command].join(GAP);
  });
}

function rowOf({ urgency, subject, state, command, brief }: Attention, width: number): Row {
  const plain = (text: string) => oneLine(sanitize(text.slice(0, MAX_LENGTH)));
  return {
    state: OWN_STATES[brief?.word ?? ''] ?? stateOf(brief?.word ?? urgency),
    subject: plain(subject),
    detail: plain(brief?.detail ?? state),
    command: inRoom(command, width),
  };
}

/** Writes a command for the prompt: without the program's name, and with ids as short as lists show them. */
function inRoom(command: string, width: number): string {
  const words = command.replace(/^aisec /, '').split(' ');
  const short = words.map((word) => {
    const id = word.slice(word.indexOf('=') + 1);
    return isUuid(id) && width < ROOMY ? id.slice(0, SHORT_ID) : word;
  });
  const text = short.join(' ');
  return PLAIN_COMMAND.test(text) ? text : ALL;
}

/** A name stands before what follows it, unless that is short, such as a date. */
function textOf({ subject, detail }: Row, width: number, { measure }: Page): string {
  const isShort = measure(detail) <= DETAIL_WIDTH;
  const room = isShort ? measure(detail) : width - measure(subject) - 1;
  if (detail === '' || room < Math.min(DETAIL_WIDTH, measure(detail))) return name(subject, width, measure);
  return `${name(subject, width - Math.min(room, measure(detail)) - 1, measure)} ${cutBetweenWords(detail, room, measure)}`;
}

/** The end of an address says more than its beginning. */
function name(text: string, width: number, measure: Page['measure']): string {
  return /^\S*\/\S*$/.test(text) ? cutAtStart(text, width, measure) : cutAtWord(text, width, measure);
}

function painted({ text, mark }: Row['state'], width: number, { style, measure }: Page): string {
  const sign = mark === undefined ? '' : style[mark.colour](mark.sign);
  return sign + text.slice(mark?.sign.length ?? 0) + ' '.repeat(Math.max(0, width - measure(text)));
}
