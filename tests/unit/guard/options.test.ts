/** Options by type: a guard, or a client, with a wrong option does not start. */
import { createAisec } from '../../../bin/library.ts';
import { createGuard } from '../../../lib/guard/guard.ts';
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

test.each([undefined, null, 'prod', [], {}, { profile: undefined }])(
  'a guard with the options %j does not start',
  (given) => {
    expect(() => createGuard(scripted().scanner, given as never)).toThrow(TypeError);
  },
);

test('options that are undefined have their defaults', async () => {
  const names = [...Object.keys(GUARD)].filter((path) => path !== 'profile');
  const { guard } = scripted(Object.assign({}, ...names.map((path) => under(path, undefined))) as object);
  expect([guard.timeoutMs, guard.parallelInput, guard.masksInput]).toEqual([2000, false, false]);
  expect((await guard.input('hello')).action).toBe('allow');
});

test('options that change later change nothing', async () => {
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
  // Its range is refused by the call.
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
