/** The system's word for what went wrong, such as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** The same as the end of a sentence: ` (ENOENT)`, or nothing. */
export function codeText(thrown: unknown): string {
  const code = codeOf(thrown);
  return code === undefined ? '' : ` (${code})`;
}
