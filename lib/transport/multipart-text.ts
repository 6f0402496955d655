/** A multipart body as text, for a host that hands over the text of a file but not its bytes. */
import type { Upload } from '../ports.ts';

export interface MultipartText {
  /** With the boundary. */
  readonly contentType: string;
  readonly body: string;
}

const LINE = '\r\n';

/** @param text what the file holds */
export function multipartText({ file, field, contentType, parts }: Upload, text: string): MultipartText {
  const boundary = unusedBoundary([text, ...parts.map((part) => part.text)]);
  const all = [...parts, { name: field, fileName: file.name, contentType, text }];
  const sections = all.map((part) => `--${boundary}${LINE}${headersOf(part)}${LINE}${LINE}${part.text}${LINE}`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: `${sections.join('')}--${boundary}--${LINE}`,
  };
}

function headersOf({ name, fileName, contentType }: Upload['parts'][number]): string {
  const file = fileName === undefined ? '' : `; filename="${quoted(fileName)}"`;
  return `Content-Disposition: form-data; name="${quoted(name)}"${file}${LINE}Content-Type: ${contentType}`;
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
