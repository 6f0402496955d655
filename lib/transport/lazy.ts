/** A value that is created on first use and then kept. */
export interface Lazy<Value> {
  get(): Promise<Value>;
  /** The value, or undefined before its first use. */
  current(): Promise<Value> | undefined;
}

/** Creates a lazy value. */
export function lazy<Value>(create: () => Promise<Value>): Lazy<Value> {
  let current: Promise<Value> | undefined;
  return {
    get: () => {
      current ??= create();
      return current;
    },
    current: () => current,
  };
}
