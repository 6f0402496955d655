/** A multipart body: what stands around the file, and the whole of it for a host that hands over text but no bytes. */
import type { Upload } from '../ports.ts';

export interface MultipartText {
  /** With the boundary. */
  readonly contentType: string;
  readonly body: string;
}

export interface MultipartFrame {
  /** With the boundary. */
  readonly contentType: string;
  /** Everything before the bytes of the file. */
  readonly head: string;
  /** Everything after them. */
  readonly tail: string;
}

const LINE = '\r\n';

/** @param boundary what no part and no file may hold */
export function multipartFrame({ file, field, contentType, parts }: Upload, boundary: string): MultipartFrame {
  const before = parts.map((part) => `${opening(part, boundary)}${part.text}${LINE}`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: before.join('') + opening({ name: field, fileName: file.name, contentType }, boundary),
    tail: `${LINE}--${boundary}--${LINE}`,
  };
}

/** @param text what the file holds */
export function multipartText(upload: Upload, text: string): MultipartText {
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

// As browsers write it: a name can then neither end its quotes nor begin a line.
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

// Counted up rather than drawn: the same upload is the same text, and it is certain that no part holds it.
function unusedBoundary(texts: readonly string[]): string {
  const boundary = (count: number) => `----aisec-part-${count}`;
  let count = 1;
  while (texts.some((text) => text.includes(boundary(count)))) count += 1;
  return boundary(count);
}
