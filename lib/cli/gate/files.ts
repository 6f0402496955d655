/** The files that a gate writes for other programs. */
import { codeQuality } from '../../features/gate/code-quality.ts';
import { junit } from '../../features/gate/junit.ts';
import { sarif } from '../../features/gate/sarif.ts';
import { summaryPage } from '../../features/gate/summary.ts';
import type { Verdict } from '../../features/gate/verdict.ts';
import { checkFileWritable, writeFileAtomically } from '../../node/files/atomic-write.ts';
import type { GateOptions } from './gate.ts';

type FileOption = 'sarif' | 'junit' | 'summary' | 'codeQuality';

interface Facts {
  /** Version of this program. */
  readonly version: string;
  readonly simulated: boolean;
}

const WRITERS: Readonly<Record<FileOption, (verdict: Verdict, facts: Facts) => string>> = {
  sarif: (verdict, { version }) => sarif(verdict, version),
  junit: (verdict) => junit(verdict),
  summary: (verdict, { simulated }) => summaryPage(verdict, simulated),
  codeQuality: (verdict) => codeQuality(verdict),
};
const NAMES = Object.keys(WRITERS) as FileOption[];

/** Lists the files that the options ask for. */
export function gateFiles(options: GateOptions): string[] {
  return NAMES.flatMap((name) => options[name] ?? []);
}

/** Checks the files before the first request. @throws ConfigurationError for one that cannot be written */
export async function checkGateFiles(options: GateOptions): Promise<void> {
  for (const file of gateFiles(options)) await checkFileWritable(file);
}

/** Writes the files. @returns their names */
export async function writeGateFiles(verdict: Verdict, options: GateOptions, facts: Facts): Promise<string[]> {
  const written: string[] = [];
  for (const name of NAMES) {
    const file = options[name];
    if (file === undefined) continue;
    await writeFileAtomically(file, WRITERS[name](verdict, facts));
    written.push(file);
  }
  return written;
}
