/** Texts of declarations as whole sentences. */

/** Marks an argument beyond the interface document: the same word in the manifest, the reference and help. */
export const OPTIONAL_MARK = 'optional, aisec';

/** @returns the text with a full stop at its end */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** @returns the description as sentences; that of an extension ends in the mark */
export function sentences(parts: readonly string[], extension: boolean): string {
  const text = parts.map(sentence).join(' ');
  return extension ? `${text.replace(/[.!?]$/, '')} (${OPTIONAL_MARK}).` : text;
}
