/** The keyword file of a dictionary: text with one keyword per line, uploaded with the dictionary's description. */
import {
  type FileEntry,
  type Files,
  type JsonObject,
  objectOf,
  type Upload,
  UsageError,
} from '../../lib/runtime/engine/declare.ts';

export interface KeywordFile {
  readonly file: FileEntry;
  /** Number of lines that are not blank. */
  readonly lines: number;
}

/**
 * Finds the file and counts its keywords.
 * @throws UsageError if the file has no keywords
 */
export async function keywordFile(files: Files, entry: string): Promise<KeywordFile> {
  const file = await files.find(entry);
  const lines = file.size === 0 ? 0 : await countLines(files, file);
  if (lines > 0) return { file, lines };
  throw new UsageError(`The file ${file.name} holds no keywords.`, {
    hint: 'Give a text file with one keyword per line.',
    argument: 'entry_id',
  });
}

async function countLines(files: Files, file: FileEntry): Promise<number> {
  const reader = await files.read(file);
  let lines = 0;
  let rest = '';
  try {
    for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) {
      const parts = (rest + piece).split(/[\r\n]/);
      rest = parts.pop() ?? '';
      lines += parts.filter(isKeyword).length;
    }
  } finally {
    await reader.close();
  }
  return isKeyword(rest) ? lines + 1 : lines;
}

function isKeyword(line: string): boolean {
  return line.trim() !== '';
}

/** Builds the multipart body: description, then file. */
export function keywordUpload(file: FileEntry, description: JsonObject): Upload {
  const text = JSON.stringify({ ...description, original_file_name: file.name });
  const json = { name: 'json', fileName: 'metadata.json', contentType: 'application/json', text };
  return { file, field: 'file', contentType: 'text/plain', parts: [json] };
}

/** Returns a warning if the service accepted fewer keywords than the file has. */
export function missingKeywords({ lines }: KeywordFile, dictionary: JsonObject): string | undefined {
  const { number_of_keywords: count } = objectOf(dictionary['dictionary_metadata']);
  if (typeof count !== 'number' || count >= lines) return undefined;
  return `The file has ${lines} lines with keywords, and the dictionary ${count}: the service counts a keyword once, and skips invalid keywords.`;
}
