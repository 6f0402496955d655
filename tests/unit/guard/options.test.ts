/** Option types: a guard or client with an invalid option does not start. */
import { createAisec } from '../../../bin/library.ts';
import { createGuard } from '../../../lib/guard/guard.ts';
import { settled } from '../../../lib/guard/options.ts';
import { scripted } from './scripted.ts';

const VALUES: Readonly<Record<string, unknown>> = {
  null: null,
  true: true,
  false: false,
  zero: 0,
  'a negative number': -1,
  'a fraction': 0.5,
  'a number': 2000,
  'a number as text': '2000',
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  'a big integer': 2000n,
  'an empty text': '',
  'a text': 'allow',
  'a list': [],
  'an object': {},
  'a function': () => '',
};
const under = (path: string, value: unknown): object =>
  path
    .split('.')
    .reverse()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as object;
const wrong = (rows: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(rows).flatMap(([path, right]) =>
    Object.keys(VALUES)
      .filter((what) => !right.includes(what))
      .map((what) => ({ path, what, options: under(path, VALUES[what]) })),
  );

const GUARD: Readonly<Record<string, readonly string[]>> = {
  profile: ['a text', 'a number as text', 'a function'],
  onError: ['a text'],
  timeoutMs: ['a number', 'a fraction'],
  mask: ['an object'],
  'mask.input': ['true', 'false'],
  'mask.output': ['true', 'false'],
  stream: ['an object'],
  'stream.first': [],
  'stream.max': ['a number'],
  'stream.overlap': ['zero', 'a number'],
  resultsAsPrompts: ['true', 'false'],
  parallelInput: ['true', 'false'],
  cache: ['false', 'an object'],
  'cache.entries': ['a number'],
  'cache.ttlMs': ['a number', 'a fraction'],
  'cache.revision': ['a text', 'an empty text', 'a number as text', 'a function'],
  message: ['a function'],
  onDecision: ['a function'],
};

const started = (options: object) => () => createGuard(scripted().scanner, { profile: 'prod', ...options });

test.each(wrong(GUARD))('[typed-options] a guard with $what as $path does not start', ({ path, options }) => {
  expect(started(options)).toThrow(TypeError);
  expect(started(options)).toThrow(path === 'stream.first' || path === 'stream.max' ? /stream|windows/ : path);
});

test.each(Object.entries(GUARD).flatMap(([path, right]) => right.map((what) => ({ path, what }))))(
  'a guard with $what as $path starts',
  ({ path, what }) => {
    expect(started(under(path, VALUES[what]))).not.toThrow();
  },
);

test.each([
  ['profile of the guard is the name of a security profile, or a function that returns it.', { profile: ' ' }],
  ['onError of the guard is "block" or "allow".', { onError: 'no' }],
  ['timeoutMs of the guard is a number above 0, at most 2147483647.', { timeoutMs: 2 ** 31 }],
  ['mask.input of the guard is true or false.', { mask: { input: 1 } }],
  ['stream.overlap of the guard is a whole number from 0 to 20000.', { stream: { overlap: 0.5 } }],
  ['cache.entries of the guard is a whole number from 1 to 9007199254740991.', { cache: { entries: 0 } }],
  ['cache.ttlMs of the guard is a number above 0.', { cache: { ttlMs: '5' } }],
  ['cache.revision of the guard is a text, or a function that returns it.', { cache: { revision: 2 } }],
  ['message of the guard is a function.', { message: 'no' }],
  ['The options of mask of the guard are an object. Known names: input, output.', { mask: 'all' }],
  ['The options of stream of the guard are an object or "all". Known names: first, max, overlap.', { stream: 5 }],
  ['The options of cache of the guard are an object or false. Known names: entries, ttlMs, revision.', { cache: true }],
  ['An option of mask of the guard has the unknown name all. Known names: input, output.', { mask: { all: true } }],
  [
    'An option of the guard has the unknown name on. Known names: profile, onError, timeoutMs, mask, stream, resultsAsPrompts, parallelInput, cache, message, onDecision.',
    { on: 5 },
  ],
  ...[{ first: 0 }, { first: 2, max: 1 }, { max: 20_000, overlap: 1 }].map((stream): [string, object] => [
    'The windows of the guard need 0 < first <= max, 0 <= overlap, and max + overlap <= 20000; or stream is "all".',
    { stream },
  ]),
])('%s', (message, options) => {
  expect(started(options)).toThrow(new TypeError(message));
});

test.each([
  ['simulate.faults of the client is a list of texts.', { simulate: { faults: ['x', 5] } }],
  ['simulate.faults of the client is a list of texts.', { simulate: { faults: 'x' } }],
  ['simulate.seed of the client is a number.', { simulate: { seed: Number.NaN } }],
  ['profile of the client is a text.', { profile: 5 }],
  ['settings of the client is an object.', { settings: [] }],
  ['log.level of the client is "trace" or "debug" or "info" or "warn".', { log: { level: 'all' } }],
  [
    'The options of simulate of the client are an object or true or false. Known names: latencyMs, faults, quirks, seed, now.',
    { simulate: 5 },
  ],
])('%s', (message, options) => {
  expect(() => createAisec(options as object)).toThrow(new TypeError(message));
});

test('options have their defaults, and their extremes', () => {
  const defaults = {
    profile: 'p',
    message: undefined,
    onDecision: undefined,
    onError: 'block',
    timeoutMs: 2000,
    mask: { input: false, output: false },
    windows: { first: 200, max: 1600, overlap: 80 },
    holdsAll: false,
    resultsAsPrompts: true,
    parallelInput: false,
    cache: { entries: 5000, ttlMs: 600_000, revision: expect.any(Function) },
  };
  const all = { first: 20_000, max: 20_000, overlap: 80 };
  const edge = { first: 19_920, max: 19_920, overlap: 80 };
  expect(settled({ profile: 'p' })).toEqual(defaults);
  expect(settled({ profile: 'p', stream: 'all', cache: false })).toEqual({
    ...defaults,
    windows: all,
    holdsAll: true,
    cache: undefined,
  });
  expect(settled({ profile: 'p', stream: edge, timeoutMs: 2 ** 31 - 1 })).toMatchObject({
    windows: edge,
    timeoutMs: 2 ** 31 - 1,
  });
});

test.each([undefined, null, 'prod', [], {}, { profile: undefined }])(
  'a guard with the options %j does not start',
  (given) => {
    expect(() => createGuard(scripted().scanner, given as never)).toThrow(
      /^(?:The options of the guard are an object\. |profile of the guard is the name of a)/,
    );
  },
);

test('undefined options have their defaults', async () => {
  const names = [...Object.keys(GUARD)].filter((path) => path !== 'profile');
  const { guard } = scripted(Object.assign({}, ...names.map((path) => under(path, undefined))) as object);
  expect([guard.timeoutMs, guard.parallelInput, guard.masksInput]).toEqual([2000, false, false]);
  expect((await guard.input('hello')).action).toBe('allow');
});

test('changing the options later has no effect', async () => {
  const mask = { input: false };
  const { guard } = scripted({ mask });
  mask.input = true;
  expect((await guard.input('4111 1111 1111 1111')).action).toBe('block');
});

const CLIENT: Readonly<Record<string, readonly string[]>> = {
  settings: ['an object'],
  environment: ['an object'],
  configFile: ['a text', 'an empty text', 'a number as text'],
  profile: ['a text', 'an empty text', 'a number as text'],
  simulate: ['true', 'false', 'an object'],
  'simulate.latencyMs': ['a number', 'zero', 'a negative number', 'a fraction', 'Infinity'],
  'simulate.seed': ['a number', 'zero', 'a negative number', 'a fraction', 'Infinity'],
  'simulate.now': ['a number', 'zero', 'a negative number', 'a fraction', 'Infinity'],
  'simulate.faults': ['a list'],
  'simulate.quirks': ['a list'],
  allow: ['an object'],
  'allow.commands': ['a list'],
  'allow.effects': ['a list'],
  'allow.readOnly': ['true', 'false'],
  confined: ['true', 'false'],
  hideSecrets: ['true', 'false'],
  log: ['an object'],
  'log.level': [],
  'log.stream': [],
  'log.content': ['true', 'false'],
  filesDirectory: ['a text', 'an empty text', 'a number as text'],
  // The call checks its range.
  timeoutMs: ['a number', 'zero', 'a negative number', 'a fraction', 'Infinity', 'NaN'],
  queue: ['an object'],
  'queue.url': ['a text', 'an empty text', 'a number as text'],
  'queue.key': ['a text', 'an empty text', 'a number as text'],
  resultLimit: ['a number', 'zero', 'a negative number', 'a fraction', 'Infinity'],
};

test.each(wrong(CLIENT))('[typed-options] a client with $what as $path does not start', ({ path, options }) => {
  expect(() => createAisec(options)).toThrow(TypeError);
  expect(() => createAisec(options)).toThrow(path);
});

test.each(Object.entries(CLIENT).flatMap(([path, right]) => right.map((what) => ({ path, what }))))(
  'a client with $what as $path starts',
  ({ path, what }) => {
    expect(() => createAisec(under(path, VALUES[what]))).not.toThrow();
  },
);

test.each(['5', null, true, [5]])('a call with the time limit %j is refused', async (timeoutMs) => {
  const client = createAisec({ simulate: true });
  const call = { timeoutMs } as unknown as { timeoutMs: number };
  await expect(client.call('aisec-runtime-topics-list', {}, call)).rejects.toMatchObject({ code: 'usage' });
  await client.close();
});
