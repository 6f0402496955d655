/**
 * Polyfills for the library functions that this project uses and old engines lack. Existing functions are not replaced,
 * and new ones are not enumerable, so that the platform's own scripts are not affected. The ES5 gate of the native
 * build rejects any newer function that is not provided here.
 */

type Target = object;

function provide(target: Target, name: string, value: unknown): void {
  if (name in target) return;
  Object.defineProperty(target, name, { value, configurable: true, enumerable: false, writable: true });
}

function entries(object: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.keys(object).map((name) => [name, object[name]]);
}

function values(object: Readonly<Record<string, unknown>>): unknown[] {
  return Object.keys(object).map((name) => object[name]);
}

function fromEntries(pairs: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  // defineProperty, because assigning `__proto__` would set the prototype.
  for (const [name, value] of pairs) {
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  }
  return object;
}

function flatten(items: readonly unknown[], depth: number): unknown[] {
  const flat: unknown[] = [];
  for (const item of items) {
    if (!Array.isArray(item) || depth <= 0) flat.push(item);
    else for (const inner of flatten(item, depth - 1)) flat.push(inner);
  }
  return flat;
}

function includes<Item>(this: readonly Item[], wanted: Item): boolean {
  return this.indexOf(wanted) >= 0 || (Number.isNaN(wanted) && this.some((item) => Number.isNaN(item)));
}

/** Adds missing functions. */
export function polyfill(): void {
  provide(Symbol, 'asyncIterator', Symbol.for('Symbol.asyncIterator'));
  provide(Object, 'entries', entries);
  provide(Object, 'values', values);
  provide(Object, 'fromEntries', fromEntries);
  provide(Array.prototype, 'includes', includes);
  provide(Array.prototype, 'flat', function flat(this: readonly unknown[], depth = 1) {
    return flatten(this, depth);
  });
  provide(
    Array.prototype,
    'flatMap',
    function flatMap(this: readonly unknown[], map: (item: unknown, index: number) => unknown) {
      return flatten(this.map(map), 1);
    },
  );
  provide(String.prototype, 'padStart', function padStart(this: string, length: number, fill = ' ') {
    const missing = length - this.length;
    const pad = missing <= 0 || fill === '' ? '' : fill.repeat(Math.ceil(missing / fill.length)).slice(0, missing);
    return pad + this;
  });
}
