/** Measures what an image contains. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NODE } from './runtime-files.ts';

/** A file of the image. */
export interface ImageFile {
  /** Absolute, in the image. */
  readonly path: string;
  readonly bytes: number;
  readonly mode: number;
  readonly uid: number;
}

interface Part {
  readonly title: string;
  readonly has: (path: string) => boolean;
}

/** A file counts for the first part that has it. */
const PARTS: readonly Part[] = [
  { title: 'Node', has: (path) => path === NODE },
  { title: 'shared libraries', has: (path) => /\.so(?:\.\d+)*$/.test(path) },
  { title: 'the program', has: (path) => path.startsWith('/opt/aisec/') },
  { title: 'licences of Node and of the libraries', has: (path) => path.startsWith('/usr/share/doc/') },
  { title: 'flock, users, groups, hosts', has: () => true },
];

/** Lists the files below a folder, sorted by path. */
export function imageFiles(root: string, folder = '/'): ImageFile[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return imageFiles(root, path);
    const { size, mode, uid } = lstatSync(join(root, path));
    return [{ path, bytes: size, mode, uid }];
  });
}

/** Renders the sizes of the parts as a Markdown table. */
export function sizeTable(files: readonly ImageFile[]): string {
  const rows = PARTS.map(({ title }, index) => {
    const own = files.filter(({ path }) => PARTS.findIndex(({ has }) => has(path)) === index);
    return row(title, own);
  });
  return ['| what | files | MB |', '| --- | --- | --- |', ...rows, row('the image', files)].join('\n');
}

function row(title: string, files: readonly ImageFile[]): string {
  return `| ${title} | ${files.length} | ${megabytes(files.reduce((sum, { bytes }) => sum + bytes, 0))} |`;
}

/** Formats a size in MB, with one decimal; what is smaller keeps two digits. */
export function megabytes(bytes: number): string {
  return bytes >= 50_000 ? (bytes / 1e6).toFixed(1) : (bytes / 1e6).toPrecision(2);
}
