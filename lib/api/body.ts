/** An object for a request's body, or undefined when none of its members is given: an empty object would say something. */
export function group<T extends Readonly<Record<string, unknown>>>(members: T): T | undefined {
  return Object.values(members).some((value) => value !== undefined) ? members : undefined;
}
