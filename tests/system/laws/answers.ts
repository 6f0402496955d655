/** A service that answers each request correctly, and then corrupts the answer. */
import fc from 'fast-check';
import type { Service, ServiceResponse } from '../../../fixtures/service/types.ts';
import { setOwn } from '../../../lib/core/json.ts';
import { DEEP_JSON, hostileMarkedText, hostileText, hostileValue } from './hostile.ts';
import { parsed } from './paths.ts';

type Spoil = (answer: ServiceResponse) => ServiceResponse;

/** A change to one answer, or to all. */
export interface Spoiling {
  readonly at: At;
  /** The text in the response, if it can be found again. */
  readonly text: string | undefined;
  readonly spoil: Spoil;
  /** For the failure report. */
  readonly [fc.toStringMethod]: () => string;
}

/** Chooses one response, counted from 0 without token responses, or all. */
type At = number | 'all';

/** A way to corrupt responses. @param details its parameters; a member `text` is a text that can be found again */
function spoilingBy<Details extends object>(
  kind: string,
  details: fc.Arbitrary<Details>,
  spoilWith: (details: Details) => Spoil,
): fc.Arbitrary<Spoiling> {
  const at = fc.oneof(fc.constant('all' as const), fc.nat(2));
  return fc.tuple(at, details).map(([place, given]) => ({
    at: place,
    text: 'text' in given ? String(given.text) : undefined,
    spoil: spoilWith(given),
    [fc.toStringMethod]: () => `answer ${place}: ${kind} ${JSON.stringify(given)}`.slice(0, 2000),
  }));
}

/** Marks a value that nests too deep to be copied. */
const DEEP = '@@deep@@';
const anyValue = fc.oneof({ weight: 9, arbitrary: hostileValue }, { weight: 1, arbitrary: fc.constant(DEEP) });

function bodyOf(value: unknown): string {
  return JSON.stringify(value).replaceAll(`"${DEEP}"`, DEEP_JSON);
}

/** Changes the JSON of an answer; any other answer stays unchanged. */
function json(change: (value: unknown) => unknown): Spoil {
  return (answer) => {
    const value = parsed(answer.body);
    return value === undefined ? answer : { ...answer, body: bodyOf(change(value)) };
  };
}

/** Replaces one value, counted among all values of its kind; undefined leaves it unchanged. */
type Change = (value: unknown, count: number) => unknown;

/** A copy in which scalars, or all values, are replaced. */
function changed(value: unknown, change: Change, scalars: boolean, counter = { count: 0 }): unknown {
  const isScalar = typeof value !== 'object' || value === null;
  if (isScalar || !scalars) {
    counter.count += 1;
    const other = change(value, counter.count - 1);
    if (isScalar || other !== undefined) return other ?? value;
  }
  if (Array.isArray(value)) return value.map((item) => changed(item, change, scalars, counter));
  return objectOf(Object.entries(value).map(([name, inner]) => [name, changed(inner, change, scalars, counter)]));
}

/** A copy in which every object has further members. */
function extended(value: unknown, members: readonly Member[]): unknown {
  if (Array.isArray(value)) return value.map((item) => extended(item, members));
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.entries(value).map(([name, member]): Member => [name, extended(member, members)]);
  return objectOf([...own, ...members]);
}

type Member = readonly [string, unknown];

function objectOf(members: readonly Member[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, value] of members) setOwn(object, name, value);
  return object;
}

const everyText = spoilingBy(
  'every text',
  fc.record({ text: hostileMarkedText, keeps: fc.boolean() }),
  ({ text, keeps }) =>
    json((whole) => changed(whole, (leaf) => (typeof leaf !== 'string' ? leaf : keeps ? leaf + text : text), true)),
);

const someTexts = spoilingBy(
  'some texts',
  fc.record({ text: hostileMarkedText, first: fc.nat(6), step: fc.integer({ min: 2, max: 7 }) }),
  ({ text, first, step }) =>
    json((whole) =>
      changed(whole, (leaf, at) => (typeof leaf === 'string' && at % step === first % step ? text : leaf), true),
    ),
);

const oneValue = spoilingBy('one value', fc.record({ leaf: fc.nat(40), value: anyValue }), ({ leaf, value }) =>
  json((whole) => changed(whole, (own, count) => (count === leaf ? value : own), true)),
);

const TYPES: readonly unknown[] = [
  ...[7, -1.5, 1e21, 'text', '', true, {}, [], ['text'], [null], { toString: 1, valueOf: 1 }],
];
const turns = fc.array(fc.option(fc.constantFrom(...TYPES), { nil: undefined, freq: 4 }), {
  minLength: 2,
  maxLength: 30,
});
const someTypes = spoilingBy('other types', fc.record({ turns }), ({ turns: values }) =>
  json((whole) => changed(whole, (_, count) => (count === 0 ? undefined : values[count % values.length]), false)),
);

const NAMES = ['__proto__', 'constructor', 'toString', 'length', 'then'];
const furtherMembers = spoilingBy(
  'further members',
  fc.record({ name: hostileText, value: hostileValue }),
  ({ name, value }) => {
    const small = JSON.stringify(value).length > 500 ? 'text' : value;
    return json((whole) =>
      extended(
        whole,
        [...NAMES, name.slice(0, 500)].map((each) => [each, small]),
      ),
    );
  },
);

const BODIES = ['', ' ', '<html>Sign in</html>', '[]', '{}', 'null', '0', '"text"', '[[]]', '{', '\ufeff{}', DEEP_JSON];
const bodies = fc.oneof(fc.constantFrom(...BODIES), hostileText, anyValue.map(bodyOf));
const wholeBody = spoilingBy('the whole body', fc.record({ body: bodies }), ({ body }) => (answer) => ({
  ...answer,
  body,
}));

const STATUSES = [201, 204, 302, 400, 401, 402, 403, 404, 409, 412, 418, 422, 429, 500, 503];
const refused = fc.record({
  status: fc.constantFrom(...STATUSES),
  form: fc.nat(3),
  hostile: hostileText,
  value: anyValue,
  rows: fc.array(anyValue, { maxLength: 2 }),
});
const refusal = spoilingBy('a refusal', refused, ({ status, form, hostile, value, rows }) => (answer) => {
  const error = { error_message: hostile, message: value, error: value, code: value, payload: rows, detail: rows };
  const list = rows.map((loc) => ({ loc: [loc, value], msg: value, code: hostile }));
  const forms = [error, { detail: list, error_code: hostile }, { error: { message: hostile, code: value } }, hostile];
  return { ...answer, status, body: bodyOf(forms[form]) };
});

const HEADERS = ['x-request-id', 'x-correlation-id', 'retry-after', 'content-type', 'location', 'date'];
const header = fc.record({ hostile: hostileText, status: fc.constantFrom(200, 429, 400) });
const headers = spoilingBy('headers', header, ({ hostile, status }) => (answer) => {
  const spoiled = Object.fromEntries(HEADERS.map((name) => [name, hostile]));
  const named = { 'content-disposition': `attachment; filename="${hostile}"` };
  return { ...answer, status, headers: { ...answer.headers, ...spoiled, ...named } };
});

const known = (what: string, spoil: Spoil): Spoiling => ({
  ...{ at: 'all', text: undefined, spoil },
  [fc.toStringMethod]: () => what,
});

/** Responses that once made a command fail; they are tried with every command. */
export const KNOWN: readonly Spoiling[] = [
  known('nested without end', (answer) => ({ ...answer, body: `{"items": ${DEEP_JSON}}` })),
  known(
    'objects without a text',
    json((whole) => changed(whole, () => ({ toString: 1, valueOf: 1 }), true)),
  ),
  known(
    'some objects without a text',
    json((whole) => changed(whole, (leaf, at) => (at % 2 === 0 ? leaf : { toString: 1, valueOf: 1 }), true)),
  ),
  known(
    'names that every object has',
    json((whole) => changed(whole, (leaf) => (typeof leaf === 'string' ? 'constructor' : leaf), true)),
  ),
];

/** Every way to corrupt an answer. */
export const spoilings = fc.oneof(
  { weight: 3, arbitrary: everyText },
  { weight: 3, arbitrary: someTexts },
  { weight: 3, arbitrary: oneValue },
  { weight: 2, arbitrary: someTypes },
  { weight: 2, arbitrary: furtherMembers },
  { weight: 1, arbitrary: wholeBody },
  { weight: 2, arbitrary: refusal },
  { weight: 1, arbitrary: headers },
);

/** The service with corrupted answers. @param tokens corrupts only the answers to token requests */
export function spoilt(service: Service, { at, spoil }: Spoiling, tokens: boolean): Service {
  let count = 0;
  return {
    settings: (origin) => service.settings(origin),
    handle: (request, clock) => {
      const answer = service.handle(request, clock);
      const isToken = request.url.endsWith('/oauth2/access_token');
      if (isToken !== tokens) return answer;
      count += 1;
      return at === 'all' || at === count - 1 ? spoil(answer) : answer;
    },
  };
}
