// Looked up once for speed; a received object may have a member of this name.
const { hasOwnProperty: has } = Object.prototype;

/** Returns true for an own member. Received objects may have any name, `constructor` included. */
export function isOwn(object: object, name: string): boolean {
  return has.call(object, name);
}

/** Sets a member of any name; a plain assignment to `__proto__` would set the prototype. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
