/** Joins texts of declarations to sentences. */

/** Marks an argument beyond the interface document, in the manifest, the reference and help. */
export const EXTENSION = 'Specific to aisec.';

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Joins parts to sentences; the text of an extension says that it is one. */
export function sentences(parts: readonly string[], extension: boolean): string {
  return [...parts.map(sentence), ...(extension ? [EXTENSION] : [])].join(' ');
}
