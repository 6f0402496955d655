/** Reads prompts with labels that say whether each is on a topic. */

import { UsageError } from '../../core/errors.ts';
import { plural } from '../../core/text/numbers.ts';
import { type Column, formatOf, openColumn } from '../../runtime/bulk/column.ts';
import { textReader } from '../../runtime/bulk/lines.ts';
import type { TopicAction } from './in-force.ts';

export interface Labelled {
  /** Line of the file, counted from 1. */
  readonly line: number;
  readonly prompt: string;
  /** Whether the prompt is on the topic. */
  readonly expected: boolean;
}

/** Names of the label column, or of the label member. */
const LABELS = ['label', 'expected'] as const;
/** Maximum that one scan accepts; source: `docs/wire.md`. */
const MAX_BYTES = 2_097_152;
const MAX_SHOWN = 10;

const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  '1': true,
  '0': false,
  yes: true,
  no: false,
  positive: true,
  negative: false,
};

/**
 * Reads a CSV with a header, or JSON Lines.
 * @param action of the topic: labels `block` and `allow` are verdicts, so `allow` means on the topic if the topic
 * allows
 * @throws UsageError for a file without labels, and with all lines that cannot be used
 */
export async function readLabelled(text: string, name: string, action: TopicAction): Promise<readonly Labelled[]> {
  const column = await openLabels(text, name);
  const rows: Labelled[] = [];
  const first = new Map<string, Labelled>();
  const problems: string[] = [];
  for (let items = await column.next(); items !== undefined; items = await column.next()) {
    for (const { text: prompt, line, problem, columns = {} } of items) {
      const word = (Object.values(columns)[0] ?? '').trim();
      const expected = meaningOf(word, action);
      const before = first.get(prompt);
      if (problem !== undefined) problems.push(problem);
      else if (expected === undefined) problems.push(`The label ${shown(word)} in line ${line} is unknown.`);
      else if (before !== undefined && before.expected !== expected)
        problems.push(`Lines ${before.line} and ${line} label one prompt differently.`);
      else {
        const row = { line, prompt, expected };
        first.set(prompt, before ?? row);
        rows.push(row);
      }
    }
  }
  if (problems.length > 0) {
    const lines = problems.slice(0, MAX_SHOWN);
    const more = problems.length > MAX_SHOWN ? ` And ${plural(problems.length - MAX_SHOWN, 'more line')}.` : '';
    throw new UsageError(`${name} cannot be used. ${lines.join(' ')}${more}`, {
      hint: 'Nothing was scanned. Labels are true or false, yes or no, 1 or 0, positive or negative, block or allow.',
    });
  }
  if (rows.length === 0) throw new UsageError(`${name} has no labelled prompt.`, { hint: FORM });
  return rows;
}

const FORM = 'It is a CSV with the columns prompt and label, or JSON Lines such as {"prompt": "...", "label": true}.';

/** Only verdict labels depend on the topic's action. */
function meaningOf(word: string, action: TopicAction): boolean | undefined {
  const lower = word.toLowerCase();
  if (lower === 'block' || lower === 'allow') return lower === action;
  return Object.hasOwn(WORDS, lower) ? WORDS[lower] : undefined;
}

/** A longer cell is not a label, and may be a prompt. */
function shown(word: string): string {
  return word === '' ? '(empty)' : word.length > 20 ? `of ${word.length} characters` : `"${word}"`;
}

async function openLabels(text: string, name: string): Promise<Column> {
  const format = formatOf(name) ?? (text.trimStart().startsWith('{') ? 'jsonl' : 'csv');
  for (const label of LABELS) {
    try {
      return await openColumn(textReader(text), {
        ...{ name: 'prompt', noun: 'prompt', maxBytes: MAX_BYTES, format, keep: [label] },
        keptBy: () => LABELS.join(),
      });
    } catch (thrown) {
      const isMissing = thrown instanceof UsageError && thrown.argument === LABELS.join();
      if (!(thrown instanceof UsageError)) throw thrown;
      // Without a header, the first row is a prompt, which must not be shown.
      const isOther = format === 'csv' && thrown.message.includes('no column');
      const why = isOther ? `${name} has no column prompt.` : `${name}: ${thrown.message}`;
      if (!isMissing) throw new UsageError(why, { hint: FORM });
    }
  }
  throw new UsageError(`${name} has neither a column label nor a column expected.`, { hint: FORM });
}
