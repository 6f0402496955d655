/** A multipart body as text, for hosts that cannot stream one. The file's content must be text. */
import type { FileEntry, Files, Upload } from '../ports.ts';

export interface MultipartText {
  readonly body: string;
  readonly contentType: string;
}

/** Reads the file whole and puts the parts around it. */
export async function multipartText(upload: Upload, files: Files): Promise<MultipartText> {
  const content = await wholeText(files, upload.file);
  const texts = [...upload.parts.map(({ text }) => text), content];
  const boundary = freeBoundary(texts);
  const parts = upload.parts.map((part) => head(part.name, part.fileName, part.contentType) + part.text);
  const file = head(upload.field, upload.file.name, upload.contentType) + content;
  const body = [...parts, file].map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  return { body: `${body}--${boundary}--\r\n`, contentType: `multipart/form-data; boundary=${boundary}` };
}

function head(name: string, fileName: string | undefined, contentType: string): string {
  const file = fileName === undefined ? '' : `; filename="${quotable(fileName)}"`;
  return `Content-Disposition: form-data; name="${quotable(name)}"${file}\r\nContent-Type: ${contentType}\r\n\r\n`;
}

// As browsers do: a line break or a quote in a name must not end the header.
function quotable(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

function freeBoundary(texts: readonly string[]): string {
  for (let count = 0; ; count += 1) {
    const boundary = `----aisec-boundary-${count}`;
    if (texts.every((text) => text.indexOf(boundary) < 0)) return boundary;
  }
}

async function wholeText(files: Files, file: FileEntry): Promise<string> {
  const reader = await files.read(file);
  const pieces: string[] = [];
  for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) pieces.push(piece);
  await reader.close();
  return pieces.join('');
}
