/** Builds multipart bodies: the text around a streamed file, or the whole body for a host that sends text only. */
import type { Upload } from '../core/ports.ts';

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

// Escaped as browsers do, so that a name can neither close its quotes nor start a line.
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

// Counted up instead of random: the same upload gives the same text, and no part can contain the boundary.
function unusedBoundary(texts: readonly string[]): string {
  const boundary = (count: number) => `----aisec-part-${count}`;
  let count = 1;
  while (texts.some((text) => text.includes(boundary(count)))) count += 1;
  return boundary(count);
}
