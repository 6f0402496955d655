/** Every list command of the catalogue at every width: one line a record, a short head and footer, whole words. */
import stringWidth from 'string-width';
import { oneLine, shortIds } from '../../lib/hosts/terminal/render/cells.ts';
import { measureFor } from '../../lib/hosts/terminal/render/measure.ts';
import { readableInTerminal } from '../../lib/hosts/terminal/render/records/list.ts';
import { PLAIN } from '../../lib/hosts/terminal/render/style.ts';
import { renderReadable, type TableOptions } from '../../lib/hosts/terminal/render/table.ts';
import type { Readable } from '../../lib/output/readable.ts';
import { titleInSentence } from '../../lib/text/numbers.ts';
import { commandOf } from '../support/declared.ts';
import { expectNone } from '../support/expect-none.ts';
import { LINE_ROWS, lineRoom } from '../support/lines.ts';
import { TEST_TIME } from '../support/simulated.ts';
import { run } from '../unit/report/support.ts';

const LISTS = LINE_ROWS.filter(({ name }) => {
  const { effect, output } = commandOf(name);
  return effect === 'read' && output.many;
});

/** The title and the headings. */
const HEAD_LINES = 2;
/** A blank line, and a line for each note and the summary, which may be folded once below 80 columns. */
const footerLines = (notes: number, width: number) => 1 + (notes + 1) * (width < 80 ? 2 : 1);
/** A word is left out as a whole when it costs no more columns than these. */
const NEAR_WORD = 6;

const draw = async (readable: Readable, width: number, options: TableOptions = {}) => {
  const page = { width, style: PLAIN, measure: await measureFor(readable) };
  return (await renderReadable(readable, page, { now: TEST_TIME, ...options })).split('\n');
};

const readables = new Map<string, Promise<Readable>>();
function readableOf(line: string): Promise<Readable> {
  const known =
    readables.get(line) ??
    lineRoom()
      .run(line)
      .then((result) => readableInTerminal(result, commandOf(result.command)));
  readables.set(line, known);
  return known;
}

/** Finds cells that are cut inside a word although its beginning is near. */
function brokenIn(lines: readonly string[], { tables }: Readable, near: number): string[] {
  const sources = tables.flatMap(({ rows }) => rows.flatMap((row) => row.map(oneLine)));
  const cells = lines.flatMap((line) => line.split(/\s{2,}/)).filter((cell) => cell.length > 1 && cell.endsWith('…'));
  return cells.filter((cell) => {
    const kept = cell.slice(0, -1);
    const source = sources.find((text) => text.startsWith(kept) && text.length > kept.length);
    if (source === undefined || /\s/.test(source.charAt(kept.length))) return false;
    const space = kept.lastIndexOf(' ');
    return space > 0 && kept.length - space < near;
  });
}

describe.each(LISTS)('$name', ({ line }) => {
  test.each([60, 80, 120, 200])('has one line a record at %d columns, in whole words', async (width) => {
    const readable = await readableOf(line);
    const lines = await draw(readable, width);
    const rows = readable.tables[0]?.rows.length ?? 0;
    const most = rows + HEAD_LINES + footerLines(readable.notes.length, width);
    expectNone(lines.length > most ? `${lines.length} lines for ${rows} records` : [], 'surplus lines');
    expectNone(
      lines.filter((each) => stringWidth(each) > width),
      'lines wider than the screen',
    );
    expectNone(brokenIn(lines, readable, NEAR_WORD), 'broken words');
    // The noun of the title stands before what qualifies it: attacks of a scan.
    const noun = titleInSentence(readable.title, rows)
      .replace(/ of .*/, '')
      .split(' ')
      .at(-1);
    expect(lines.slice(HEAD_LINES + rows).join(' ')).toMatch(new RegExp(`\\b(?:No|${rows}) (?:\\S+ )*?${noun}\\b`));
  });

  test('breaks no word with --wide, and folds lines between columns on a terminal', async () => {
    const readable = await readableOf(line);
    const lines = await draw(readable, 80, { wide: true, folds: true });
    expectNone(brokenIn(lines, readable, Number.POSITIVE_INFINITY), 'broken words');
    const whole = await draw(readable, 80, { wide: true });
    const words = (text: readonly string[]) => text.join(' ').trim().split(/\s+/).sort();
    expect(words(lines)).toEqual(words(whole));
    // A single cell may be wider than the screen.
    const wider = lines.filter((each) => stringWidth(each) > 80 && /\S\s{2,}\S/.test(each.trim()));
    expectNone(wider, 'lines that could be folded');
  });

  test('shows more on a wider screen, never less', async () => {
    const readable = await readableOf(line);
    const sizes = await Promise.all(
      [60, 80, 120, 200].map(async (width) => {
        const [, head = ''] = await draw(readable, width);
        return head.trim().split(/\s{2,}/).length;
      }),
    );
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
  });
});

describe('at a terminal of 80 columns', () => {
  const shown = async (words: readonly string[]) => {
    const { stdout } = await run(words, { terminal: { columns: 80, rows: 60 }, environment: { NO_COLOR: '1' } });
    return stdout.split('\n').slice(1);
  };

  test('--wide folds the lines of a list', async () => {
    const lines = await shown(['redteam-scans-list', '--wide']);
    expect(lines).toContainEqual(expect.stringMatching(/^ {4}STATUS /));
    expectNone(
      lines.filter((line) => stringWidth(line) > 80),
      'lines wider than the screen',
    );
  });

  test('an empty list is one sentence', async () => {
    expect((await shown(['redteam-scans-list', '--filter', 'name=nothing'])).join('')).toMatch(/^No red-team scans\./);
  });
});

test('ids that begin alike are shown as far as they differ', () => {
  const ids = ['2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752', '2c8f5e1b-b7d0-4396-b4f8-e61d09c3a752'];
  expect(ids.map(shortIds(ids))).toEqual(['2c8f5e1b-a7d0', '2c8f5e1b-b7d0']);
});

test.each([
  { title: 'Red-Team Scans', count: 1, text: 'red-team scan' },
  { title: 'Attacks of the Red-Team Scan', count: 1, text: 'attack of the red-team scan' },
  { title: 'Attacks of the Red-Team Scan', count: 2, text: 'attacks of the red-team scan' },
  { title: 'API Keys', count: 1, text: 'API key' },
])('a sentence has $count $text', ({ title, count, text }) => {
  expect(titleInSentence(title, count)).toBe(text);
});
