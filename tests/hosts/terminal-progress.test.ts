import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { Screen } from '../../lib/hosts/terminal/ui/screen.ts';
import { timerClock } from '../support/machine.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A screen whose stderr is a terminal of this width, or a log. */
function screenOf(columns?: number, environment: Record<string, string> = {}) {
  const stdout = Object.assign(new PassThrough(), { isTTY: false });
  const stderr = Object.assign(new PassThrough(), { isTTY: columns !== undefined, columns });
  let text = '';
  stderr.on('data', (chunk) => {
    text += String(chunk);
  });
  stdout.resume();
  const written = () => {
    const part = text;
    text = '';
    return part;
  };
  return { screen: new Screen({ stdout, stderr, environment }, false), stderr, written };
}

const LINE = '1,200 of 5,000 prompts, 290/s, 13 s left';
const AMOUNT = { done: 1200, total: 5000 };

describe('progress on a terminal', () => {
  test.each([
    [80, `█████░░░░░░░░░░░░░░░░░░░  24 %  ${LINE}  0 s`],
    [62, `███░░░░░░░░░░  24 %  ${LINE}`],
    [54, `█░░░░  24 %  ${LINE}`],
    [50, `  24 %  ${LINE}`],
    [40, '1,200 of 5,000 prompts, 290/s, 13 s le…'],
  ])('at %d columns fits one line, with the longest bar that fits', (columns, line) => {
    const { screen, written } = screenOf(columns);
    screen.progress(LINE, timerClock.elapsed(), AMOUNT);
    expect(stripVTControlCharacters(written()).trimStart()).toBe(line.trimStart());
  });

  test('counts possibly wide characters as wide, and shows no control characters in a name', () => {
    const { screen, written } = screenOf(40);
    screen.progress(`\u001b[31m${'漢'.repeat(40)}\nx`);
    const line = written().replace('\r\u001b[2K', '');
    expect(line).toBe(`${'漢'.repeat(19)}…`);
  });

  test('keeps counting the age, follows a resize, and leaves no trace', () => {
    const { screen, stderr, written } = screenOf(80);
    screen.progress('Waiting', timerClock.elapsed());
    jest.advanceTimersByTime(65_000);
    expect(written()).toMatch(/Waiting {2}1 min 5 s$/);
    stderr.columns = 10;
    stderr.emit('resize');
    expect(written()).toBe('\r\u001b[1A\u001b[JWaiting  1 min 5 s');
    screen.settle();
    expect(written()).toBe('\r\u001b[1A\u001b[J');
    jest.advanceTimersByTime(60_000);
    stderr.emit('resize');
    expect([written(), stderr.listenerCount('resize')]).toEqual(['', 0]);
  });

  test('names a silent command after a second', () => {
    const { screen, written } = screenOf(80);
    const end = screen.working('aisec-x-get');
    expect(written()).toBe('');
    jest.advanceTimersByTime(2000);
    expect(written()).toMatch(/aisec-x-get {2}2 s$/);
    end();
    jest.advanceTimersByTime(5000);
    expect(written()).toBe('\r\u001b[2K');
  });
});

describe('progress in a log', () => {
  test.each([
    ['a pipe', undefined, {}],
    ['a terminal that cannot erase', 80, { TERM: 'dumb' }],
  ])('of %s is a line every 30 seconds, of the latest state', (_what, columns, environment) => {
    const { screen, written } = screenOf(columns, environment);
    screen.progress('early', timerClock.elapsed(), AMOUNT);
    jest.advanceTimersByTime(15_000);
    screen.progress(LINE, timerClock.elapsed() - 15_000, AMOUNT);
    jest.advanceTimersByTime(14_000);
    expect(written()).toBe('');
    jest.advanceTimersByTime(31_000);
    expect(written()).toBe(`${LINE} (30 s)\n${LINE} (1 min 0 s)\n`);
    screen.settle();
    jest.advanceTimersByTime(60_000);
    expect(written()).toBe('');
  });

  test('waits 30 seconds after another line, and cannot become a runner command', () => {
    const { screen, written } = screenOf();
    screen.disarm();
    screen.progress('::stop-commands::x');
    jest.advanceTimersByTime(20_000);
    screen.note('warning: y');
    jest.advanceTimersByTime(20_000);
    screen.result('z');
    jest.advanceTimersByTime(10_000);
    const text = written();
    expect(text.split('\n')).toHaveLength(3);
    expect(text).not.toMatch(/^::/m);
  });
});
