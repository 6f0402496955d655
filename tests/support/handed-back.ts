/** Answers that are not responses, as engines return them. */

/** A secret that matches no known pattern. */
export const SECRET = 'hush-of-the-engine';

export function raise(text: string): never {
  throw new Error(text);
}

function raiseValue(value: unknown): never {
  throw value;
}

const hostile: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  null: () => null,
  'a text': () => 'HTTP 200',
  'a number': () => 200,
  'a list': () => [],
  'a function': () => () => 200,
  'a status that cannot be read': () => Object.defineProperty({}, 'StatusCode', { get: () => raise(SECRET) }),
  'a body that cannot be read': () => Object.defineProperty({ StatusCode: 200 }, 'Body', { get: () => raise(SECRET) }),
  'headers that cannot be read': () => ({ StatusCode: 200, Headers: { x: { toJSON: () => raise(SECRET) } } }),
  'a status that is a symbol': () => ({ StatusCode: Symbol('200') }),
  'a status that is no number': () => ({ StatusCode: 'OK', Body: SECRET }),
  'an error': () => raise(SECRET),
  'an answer that is thrown': () => raiseValue({ StatusCode: 500, Body: SECRET }),
  'an object without a text': () => raiseValue(Object.create(null)),
  'a text that fails again': () => raiseValue({ toString: () => raise(SECRET) }),
};
export const HANDED_BACK = Object.entries(hostile).map(([what, http]) => ({ what, http }));
