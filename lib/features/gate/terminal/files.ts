/** The files that a gate reads, and the files that it writes for other programs. */

import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { NotFoundError } from '../../../core/errors.ts';
import type { Files } from '../../../core/ports.ts';
import { DASH } from '../../../hosts/terminal/line/standard-input.ts';
import { checkFileWritable, writeFileAtomically } from '../../../node/files/atomic-write.ts';
import { codeOf } from '../../../node/system/system-error.ts';
import type { Verdict } from '../decide.ts';
import type { BulkRequest } from '../gates.ts';
import { codeQuality, junit, summaryPage } from '../reports.ts';
import { sarif } from '../sarif.ts';
import { type GateContext, type GateOptions, gateFiles } from './flags.ts';

/** Checks the files before the first request. @throws ConfigurationError for a file that cannot be written */
export async function checkGateFiles(options: GateOptions): Promise<void> {
  for (const { file } of gateFiles(options)) await checkFileWritable(file);
}

/** Writes the files; a dry run only names them. @returns the names of the written files */
export async function writeGateFiles(
  verdict: Verdict,
  simulated: boolean,
  { host: { version }, options, screen }: GateContext,
): Promise<string[]> {
  const asked = gateFiles(options);
  const names = asked.map(({ file }) => file);
  if (options.dryRun) {
    if (names.length > 0 && !options.quiet)
      screen.note(`note: a dry run; these files would be written: ${names.join(', ')}.`);
    return [];
  }
  const texts = {
    sarif: () => sarif(verdict, version, options),
    junit: () => junit(verdict),
    summary: () => summaryPage(verdict, simulated),
    codeQuality: () => codeQuality(verdict),
  };
  for (const { kind, file } of asked) await writeFileAtomically(file, texts[kind]());
  return names;
}

/**
 * Opens the files of a bulk gate, does the work, and closes them.
 * @throws NotFoundError that lists all files that do not exist
 */
export async function withBulkFiles<Value>(
  paths: readonly string[],
  files: Files,
  work: (requests: readonly BulkRequest[]) => Promise<Value>,
): Promise<Value> {
  const missing: string[] = [];
  for (const path of paths) if (path !== DASH && (await isMissing(path))) missing.push(path);
  if (missing.length > 0) {
    const names = missing.map((path) => path.slice(0, 200)).join(', ');
    throw new NotFoundError(`${names} ${missing.length === 1 ? 'does' : 'do'} not exist.`, {
      hint: 'Nothing was read: check the names, and run it again.',
    });
  }
  const names = paths.map((path) => basename(path));
  const requests: BulkRequest[] = [];
  try {
    for (const [at, path] of paths.entries()) {
      const entry = await files.find(path);
      // Files in two folders may have the same name.
      const isUnique = names.indexOf(names[at] ?? '') === names.lastIndexOf(names[at] ?? '');
      requests.push({ reader: await files.read(entry), name: isUnique ? entry.name : path });
    }
    return await work(requests);
  } finally {
    for (const { reader } of requests) await reader.close();
  }
}

async function isMissing(path: string): Promise<boolean> {
  const code = await stat(resolve(path)).then(
    () => undefined,
    (thrown: unknown) => codeOf(thrown),
  );
  return code === 'ENOENT' || code === 'ENOTDIR';
}
