/** The paths by which references name the values of the context. */

/** Names that a reference can have. */
const MEMBER = /^[A-Za-z_][\w-]*$/;

/** Returns the path of a member, such as `AiSec.Topic.[0]`; undefined if no reference can name it. @param path of the value around it, empty for the context */
export function pathTo(path: string | undefined, step: string | number): string | undefined {
  if (path === undefined) return undefined;
  if (typeof step === 'number') return path === '' ? undefined : `${path}.[${step}]`;
  if (!MEMBER.test(step)) return undefined;
  return path === '' ? step : `${path}.${step}`;
}
