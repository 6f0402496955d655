/** Checks the options of a guard: a guard with a wrong option does not start, also for callers without a compiler. */
import { isObject } from '../core/json.ts';
import { LONGEST, LONGEST_WAIT_MS } from './limits.ts';
import type { GuardOptions } from './types.ts';

/** Windows of a stream unless the options say otherwise, in characters. */
export const WINDOWS = { first: 200, max: 1600, overlap: 80 };
export const CACHE = { entries: 5000, ttlMs: 600_000 };

const NAMES: Readonly<Record<keyof GuardOptions, true>> = {
  profile: true,
  onError: true,
  timeoutMs: true,
  mask: true,
  stream: true,
  resultsAsPrompts: true,
  parallelInput: true,
  cache: true,
  message: true,
  onDecision: true,
};

/** @throws TypeError for an option that cannot be meant */
export function checkOptions(options: GuardOptions): void {
  const { profile, onError = 'block', stream, timeoutMs, cache, mask, parallelInput = false } = options;
  known('', options, Object.keys(NAMES));
  if (typeof profile !== 'function' && (typeof profile !== 'string' || profile === ''))
    throw new TypeError('The guard needs a profile: the name of a security profile, or a function that returns it.');
  if (!['block', 'allow'].includes(onError)) throw new TypeError('onError of the guard is "block" or "allow".');
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= LONGEST_WAIT_MS))
    throw new TypeError(`timeoutMs of the guard is a number above 0, at most ${LONGEST_WAIT_MS}.`);
  if (typeof parallelInput !== 'boolean') throw new TypeError('parallelInput of the guard is true or false.');
  checkFunctions(options);
  checkMask(mask);
  checkCache(cache);
  checkWindows(stream);
}

function checkFunctions({ message, onDecision }: GuardOptions): void {
  for (const [name, value] of Object.entries({ message, onDecision }))
    if (value !== undefined && typeof value !== 'function') throw new TypeError(`${name} of the guard is a function.`);
}

function checkMask(mask: GuardOptions['mask'] = {}): void {
  known('mask', mask, ['input', 'output']);
  const values: readonly unknown[] = Object.values(mask);
  if (!values.every((value) => value === undefined || typeof value === 'boolean'))
    throw new TypeError('mask of the guard has input and output, each true or false.');
}

function checkCache(cache: GuardOptions['cache'] = {}): void {
  if (cache === false) return;
  known('cache', cache, ['entries', 'ttlMs', 'revision']);
  const { entries, ttlMs, revision = '' } = { ...CACHE, ...cache };
  if (!(Number.isInteger(entries) && entries > 0 && ttlMs > 0 && typeof revision === 'string'))
    throw new TypeError('cache of the guard has entries and ttlMs above 0, and revision, a text; or it is false.');
}

function checkWindows(stream: GuardOptions['stream'] = {}): void {
  if (stream === 'all') return;
  known('stream', stream, Object.keys(WINDOWS));
  const { first, max, overlap } = { ...WINDOWS, ...stream };
  const isSound = [first, max, overlap].every(Number.isInteger) && first > 0 && max >= first && overlap >= 0;
  if (!isSound || max + overlap > LONGEST.output)
    throw new TypeError(
      `The windows of the guard need 0 < first <= max, 0 <= overlap, and max + overlap <= ${LONGEST.output}; or stream is "all".`,
    );
}

function known(option: string, value: unknown, names: readonly string[]): void {
  const of = option === '' ? 'the guard' : `${option} of the guard`;
  if (!isObject(value)) throw new TypeError(`The options of ${of} are an object. Known names: ${names.join(', ')}.`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`An option of ${of} has the unknown name ${unknown}. Known names: ${names.join(', ')}.`);
}
