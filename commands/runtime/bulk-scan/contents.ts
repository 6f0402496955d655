/** The contents of a row besides its prompt: cells of the columns that are scanned together with it. */

import type { Problem } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { text } from '../../../lib/runtime/arguments/builders.ts';
import { check } from '../../../lib/runtime/arguments/checks.ts';
import { parseValue } from '../../../lib/runtime/arguments/kinds.ts';
import type { Column, Item } from '../../../lib/runtime/bulk/column.ts';
import { bodySize } from '../scan-body.ts';
import { CONTENT, further, grounded, toolText } from '../scan-contents.ts';
import type { Subject } from './calls.ts';
import { beginningOf, type ScanItem } from './rows.ts';

const { context, code_prompt, code_response, tool_event } = further;
const CONTENTS = {
  response: text('Model response.', { content: true, schema: CONTENT }),
  ...{ code_prompt, code_response, context, tool_event },
};

export type ContentName = keyof typeof CONTENTS;

/** Columns that can be scanned, in the order in which they are sent. */
export const CONTENT_NAMES = Object.keys(CONTENTS) as ContentName[];

const RULES = [toolText, grounded, bodySize];

/** Adds contents to the items of a column. An item whose contents cannot be sent gets a problem that names its line. */
export function withContents(
  column: Column,
  names: readonly ContentName[],
  { profile_name, session_id }: Subject,
): Column<ScanItem> {
  if (names.length === 0) return column;
  const read = (item: Item): ScanItem => {
    const found = item.problem === undefined ? contentOf(item, names, { profile_name, session_id }) : {};
    const { problem = item.problem } = found;
    return problem === undefined ? { ...item, ...found } : { ...item, problem, columns: beginnings(item, names) };
  };
  return {
    next: async () => (await column.next())?.map(read),
    bytes: () => column.bytes(),
    close: () => column.close(),
  };
}

/** Shortens the cells of a row that is not sent, because a row with a long cell would not fit into the context. */
function beginnings({ columns = {} }: Item, names: readonly string[]) {
  const short = (name: string, cell: string) => (names.includes(name) ? beginningOf(cell) : cell);
  return Object.fromEntries(Object.entries(columns).map(([name, cell]) => [name, short(name, cell)]));
}

/** Reads the contents of one item, or explains why they cannot be sent. */
function contentOf(
  { text: prompt, line, columns = {} }: Item,
  names: readonly ContentName[],
  subject: JsonObject,
): Pick<ScanItem, 'content' | 'problem'> {
  const about = ({ message }: Problem) => ({ problem: `The row in line ${line} is not scanned: ${message}` });
  const content: Record<string, unknown> = {};
  for (const name of names) {
    const cell = columns[name] ?? '';
    if (cell.trim() === '') continue;
    const parsed = parseValue(name, CONTENTS[name], cell);
    if ('problem' in parsed) return about(parsed.problem);
    content[name] = parsed.value;
  }
  const hasPrompt = prompt.trim() !== '';
  if (!hasPrompt && Object.keys(content).every((name) => name === 'context')) {
    const others = names.filter((name) => name !== 'context');
    return { problem: `The row in line ${line} has no ${['prompt', ...others].join(' and no ')}.` };
  }
  const [first] = check(CONTENTS, content);
  if (first !== undefined) return about(first);
  const values = { ...subject, ...(hasPrompt ? { prompt } : {}), ...content };
  for (const rule of RULES) {
    const problem = rule.check(values);
    if (problem !== undefined) return about(problem);
  }
  return { content };
}
