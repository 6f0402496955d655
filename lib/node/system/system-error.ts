/** Returns the code of a system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Treats a missing file as absent: `.catch(unlessMissing)`. @throws any other error */
export function unlessMissing(thrown: unknown): undefined {
  if (codeOf(thrown) !== 'ENOENT') throw thrown;
}

/** Returns the code as the end of a sentence: ` (ENOENT)`, or nothing. */
export function codeText(thrown: unknown): string {
  const code = codeOf(thrown);
  return code === undefined ? '' : ` (${code})`;
}
