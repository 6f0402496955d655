/** The files that a gate writes for other programs. */

import { checkFileWritable, writeFileAtomically } from '../../../node/files/atomic-write.ts';
import type { Verdict } from '../decide.ts';
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
