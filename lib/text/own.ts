// Taken once: an object that was sent may have a member of this name. It is asked for every field of every record.
const { hasOwnProperty: has } = Object.prototype;

/** Is it the object's own member? What people and services send may carry any name, `constructor` included. */
export function isOwn(object: object, name: string): boolean {
  return has.call(object, name);
}

/** Gives the object a member of any name; a plain assignment to `__proto__` would do something else. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
