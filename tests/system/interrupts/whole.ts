import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';

/** Reads the files that a program added to a folder. @throws Error if one of them is not whole */
export function wholeFilesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => !name.startsWith('in.'));
  for (const name of names) {
    const read = READERS[name.split('.').at(-1) ?? ''];
    if (read === undefined) throw new Error(`${name} is nothing that a mode leaves`);
    read(readFileSync(join(folder, name)));
  }
  return names.sort();
}

const READERS: Readonly<Record<string, (bytes: Buffer) => void>> = {
  html: readXml,
  xml: readXml,
  zip: (bytes) => {
    if (Object.keys(unzipSync(bytes)).length === 0) throw new Error('an archive of nothing');
  },
  sarif: (bytes) => void JSON.parse(String(bytes)),
  jsonl: readLines,
  journal: readLines,
};

function readXml(bytes: Buffer): void {
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(String(bytes)).close();
}

function readLines(bytes: Buffer): void {
  const lines = String(bytes).split('\n');
  if (lines.pop() !== '') throw new Error('the last line is cut');
  for (const line of lines) JSON.parse(line);
}

/** Exit codes after signals. */
export const CODE_AFTER = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
