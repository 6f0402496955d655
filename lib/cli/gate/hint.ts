/** The hint of a failed gate: why its worst finding is one, and how to accept it. */
import type { Verdict } from '../../features/gate/decide.ts';
import type { Finding } from '../../features/gate/finding.ts';
import { columns } from '../../hosts/terminal/render/measure.ts';
import { cutBetweenWords } from '../../hosts/terminal/render/wrap.ts';

/** Three lines of 80 columns, with room for the words that do not fit at the end of a line. */
const ROOM = 3 * 80 - 'hint: '.length - 2 * 14;
/** Ids of checks are single words. */
const CHECK = /^\S{1,40}$/;

/** Returns the hint of a failed gate. */
export function hintFor({ findings, see }: Verdict): string | undefined {
  const worst = findings.find(({ level, baselineState }) => level === 'failure' && baselineState !== 'absent');
  if (worst === undefined) return see === undefined ? undefined : `See the result with: ${see}`;
  const accept = `A policy (--policy FILE) can accept finding ${worst.fingerprint} until a date.`;
  return `${explanation(worst, ROOM - accept.length - 1)} ${accept}`;
}

/** Explains a finding in whole sentences, as many as fit; only a first sentence that is too long is cut. */
function explanation({ message, title, explained }: Finding, room: number): string {
  if (explained === undefined) return message;
  const check = CHECK.test(explained.check) ? ` See ${explained.check}.` : '';
  const [first = `The rule that is broken: ${title}.`, ...others] = sentencesIn(explained.texts);
  let text = cutBetweenWords(first, room - check.length, columns);
  for (const sentence of others) {
    const longer = `${text} ${sentence}`;
    if (columns(longer) > room - check.length) break;
    text = longer;
  }
  return text + check;
}

/** Splits texts into sentences with their full stops, and leaves out a sentence that another sentence contains. */
function sentencesIn(texts: readonly string[]): string[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const sentences = texts
    .flatMap((text) => [...segmenter.segment(text.replace(/\s+/g, ' '))])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '');
  const keys = sentences.map((sentence) => sentence.replace(/[.!?]+$/, '').toLowerCase());
  const isNew = (key: string, at: number) =>
    !keys.some((other, place) => (other === key ? place < at : other.includes(key)));
  return sentences
    .filter((_, at) => isNew(keys[at] ?? '', at))
    .map((sentence) => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`));
}
