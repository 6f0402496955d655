// Looked up once for speed; a received object may have a member of this name.
const { hasOwnProperty: has } = Object.prototype;

/** Returns true for an own member. Received objects may have members of any name, `constructor` included. */
export function isOwn(object: object, name: string): boolean {
  return has.call(object, name);
}
