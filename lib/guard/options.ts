/** Checks a guard's options and fills in the defaults: a guard with an invalid option does not start. */
import {
  CALLABLE,
  checkTypes,
  type Group,
  type Leaf,
  numberFrom,
  oneOfValues,
  TRUTH,
  wholeFrom,
} from '../core/typed-options.ts';
import type { GuardOptions, Windows } from './types.ts';

/**
 * Maximum length of a prompt and a response in one scan, in UTF-16 code units (at least one per character); source:
 * `docs/wire.md`.
 */
export const LONGEST = { input: 10_000, output: 20_000 } as const;
/** Overlap of two parts of a longer text, so that a finding that begins in one part and ends in the next is scanned whole. */
export const SHARED = 500;
/** The longest delay of a timer, in milliseconds; a longer delay would fire at once. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Default stream windows, in characters. */
export const WINDOWS = { first: 200, max: 1600, overlap: 80 };
const ALL = { ...WINDOWS, first: LONGEST.output, max: LONGEST.output };

const NAME_OR_FUNCTION: Leaf = {
  words: 'the name of a security profile, or a function that returns it',
  fits: (value) => typeof value === 'function' || (typeof value === 'string' && value.trim() !== ''),
};
const REVISION: Leaf = {
  words: 'a text, or a function that returns it',
  fits: (value) => typeof value === 'string' || typeof value === 'function',
};
const WINDOW = wholeFrom(0, LONGEST.output);

const OPTIONS: Group & { readonly members: Readonly<Record<keyof GuardOptions, Leaf | Group>> } = {
  members: {
    profile: NAME_OR_FUNCTION,
    onError: oneOfValues('block', 'allow'),
    timeoutMs: {
      ...numberFrom(Number.MIN_VALUE, LONGEST_WAIT_MS),
      words: `a number above 0, at most ${LONGEST_WAIT_MS}`,
    },
    mask: { members: { input: TRUTH, output: TRUTH } },
    stream: { members: { first: WINDOW, max: WINDOW, overlap: WINDOW }, or: ['all'] },
    resultsAsPrompts: TRUTH,
    parallelInput: TRUTH,
    cache: {
      members: {
        entries: wholeFrom(1, Number.MAX_SAFE_INTEGER),
        ttlMs: { ...numberFrom(Number.MIN_VALUE, Number.MAX_SAFE_INTEGER), words: 'a number above 0' },
        revision: REVISION,
      },
      or: [false],
    },
    message: CALLABLE,
    onDecision: CALLABLE,
  },
};

type Defaulted = 'onError' | 'timeoutMs' | 'resultsAsPrompts' | 'parallelInput';

/** The options with all defaults. Only the cache revision is read again later. */
export interface Settled extends Pick<Required<GuardOptions>, 'profile' | Defaulted> {
  readonly message: GuardOptions['message'];
  readonly onDecision: GuardOptions['onDecision'];
  readonly mask: { readonly input: boolean; readonly output: boolean };
  readonly windows: Required<Windows>;
  readonly holdsAll: boolean;
  readonly cache:
    | { readonly entries: number; readonly ttlMs: number; readonly revision: () => string | undefined }
    | undefined;
}

/** @throws TypeError for an invalid option */
export function settled(options: GuardOptions): Settled {
  checkTypes('the guard', options, OPTIONS);
  if (!NAME_OR_FUNCTION.fits(options.profile))
    throw new TypeError(`profile of the guard is ${NAME_OR_FUNCTION.words}.`);
  const { profile, message, onDecision, mask, stream, cache } = options;
  return {
    profile,
    message,
    onDecision,
    onError: options.onError ?? 'block',
    timeoutMs: options.timeoutMs ?? 2000,
    mask: { input: mask?.input ?? false, output: mask?.output ?? false },
    windows: stream === 'all' ? ALL : windowsOf(stream),
    holdsAll: stream === 'all',
    resultsAsPrompts: options.resultsAsPrompts ?? true,
    parallelInput: options.parallelInput ?? false,
    cache: cache === false ? undefined : cacheOf(cache),
  };
}

function windowsOf(given: Windows = {}): Required<Windows> {
  const { first = WINDOWS.first, max = WINDOWS.max, overlap = WINDOWS.overlap } = given;
  if (first > 0 && max >= first && max + overlap <= LONGEST.output) return { first, max, overlap };
  throw new TypeError(
    `The windows of the guard need 0 < first <= max, 0 <= overlap, and max + overlap <= ${LONGEST.output}; or stream is "all".`,
  );
}

function cacheOf(cache: Exclude<GuardOptions['cache'], false> = {}): NonNullable<Settled['cache']> {
  const { entries = 5000, ttlMs = 600_000 } = cache;
  return { entries, ttlMs, revision: () => (typeof cache.revision === 'function' ? cache.revision() : cache.revision) };
}
