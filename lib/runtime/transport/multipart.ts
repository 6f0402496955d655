/**
 * Multipart bodies of uploads (the text around a streamed file, or the whole body for a host that sends only text), and
 * file names of downloads.
 */
import type { Upload } from '../../core/ports.ts';

const LINE = '\r\n';

/** Returns the text before and after the file. @param boundary must not occur in any part or file */
export function multipartFrame({ file, field, contentType, parts }: Upload, boundary: string) {
  const before = parts.map((part) => `${opening(part, boundary)}${part.text}${LINE}`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: before.join('') + opening({ name: field, fileName: file.name, contentType }, boundary),
    tail: `${LINE}--${boundary}--${LINE}`,
  };
}

/** Returns the whole body. @param text the content of the file */
export function multipartText(upload: Upload, text: string) {
  const boundary = unusedBoundary([text, ...upload.parts.map((part) => part.text)]);
  const { contentType, head, tail } = multipartFrame(upload, boundary);
  return { contentType, body: head + text + tail };
}

function opening(part: Omit<Upload['parts'][number], 'text'>, boundary: string): string {
  const { name, fileName, contentType } = part;
  const file = fileName === undefined ? '' : `; filename="${quoted(fileName)}"`;
  const disposition = `Content-Disposition: form-data; name="${quoted(name)}"${file}`;
  return [`--${boundary}`, disposition, `Content-Type: ${contentType}`, '', ''].join(LINE);
}

// Escaped as browsers do, so that a name cannot close its quotes or start a line.
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

// The boundary is counted up instead of random, so that the same upload gives the same text, and no part contains the boundary.
function unusedBoundary(texts: readonly string[]): string {
  const boundary = (count: number) => `----aisec-part-${count}`;
  let count = 1;
  while (texts.some((text) => text.includes(boundary(count)))) count += 1;
  return boundary(count);
}

const EXTENDED = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i;
const PLAIN = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i;

/**
 * Reads the file name in a `Content-Disposition` header: plain, or in the extended form of RFC 5987.
 * @returns the base name, because the service must not choose a directory; undefined if there is none
 */
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
