/** Reads the file name in a `Content-Disposition` header: plain, or in the extended form of RFC 5987. */
const EXTENDED = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i;
const PLAIN = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i;

/** Reads the header. @returns the base name, because the service must not choose a directory; undefined without one */
export function fileNameIn(disposition: string | undefined): string | undefined {
  const text = (disposition ?? '').slice(0, 2000);
  const extended = EXTENDED.exec(text)?.[1];
  const plain = PLAIN.exec(text);
  const name =
    (extended === undefined ? undefined : decoded(extended)) ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
  const parts = (name ?? '').split(/[\\/]/);
  const base = (parts[parts.length - 1] ?? '').trim();
  return /^\.*$/.test(base) ? undefined : base;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
