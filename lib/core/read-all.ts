import type { FileEntry, Files } from './ports.ts';

/** Reads the whole text of a file. */
export async function readAll(files: Pick<Files, 'read'>, file: FileEntry): Promise<string> {
  const reader = await files.read(file);
  const pieces: string[] = [];
  try {
    for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) pieces.push(piece);
  } finally {
    await reader.close();
  }
  return pieces.join('');
}
