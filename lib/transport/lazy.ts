/** Something that is made when it is first needed, and then stays. */
export interface Lazy<Value> {
  get(): Promise<Value>;
  /** What was made; undefined when nobody needed it. */
  made(): Promise<Value> | undefined;
}

export function lazy<Value>(make: () => Promise<Value>): Lazy<Value> {
  let made: Promise<Value> | undefined;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    made: () => made,
  };
}
