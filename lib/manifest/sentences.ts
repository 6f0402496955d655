/** Joins texts of declarations to sentences. */

/** Marks an argument beyond the interface document, in the manifest, the reference and help. */
export const OPTIONAL_MARK = 'optional, aisec';

/** Ends a text with a full stop. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Joins parts to sentences; the text of an extension ends with the mark. */
export function sentences(parts: readonly string[], extension: boolean): string {
  const text = parts.map(sentence).join(' ');
  return extension ? `${text.replace(/[.!?]$/, '')} (${OPTIONAL_MARK}).` : text;
}
