/** A repository, the installed package and a tenant for a pipeline. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { type RunningServer, startServer } from '../../../fixtures/service/server.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sharedPackage } from '../built/package.ts';
import { type Done, type Runner, runAction } from './github.ts';

const LONG_MS = 400_000;

export interface Package {
  /** Its folder. */
  readonly folder: string;
  /** A folder for PATH, with the program as npm links it. */
  readonly bin: string;
}

/** Packs and unpacks the package before the tests of a file. */
export function installedPackage(): () => Package {
  let made: Package | undefined;
  beforeAll(async () => {
    const { installed: folder } = await sharedPackage();
    const bin = temporaryFolder('bin');
    const program = join(folder, 'dist', 'aisec.cjs');
    chmodSync(program, 0o755);
    symlinkSync(program, join(bin, 'aisec'));
    made = { folder, bin };
  }, LONG_MS);
  return () => {
    if (made === undefined) throw new Error('the package is not built yet');
    return made;
  };
}

/** Starts a tenant for each test. @returns its settings, as a pipeline reads them from its secrets */
export function tenant(): () => Record<string, string> {
  let running: RunningServer | undefined;
  let settings: Record<string, string> = {};
  beforeEach(async () => {
    const service = createService({ jobSeconds: 0, processingMs: 0 });
    running = await startServer(service, { port: 0 });
    settings = service.settings(running.origin);
  });
  afterEach(() => running?.close());
  return () => settings;
}

/** Creates a checked-out repository. */
export function repository(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder('repository');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Prepares a job's runner. */
export function githubRunner({ folder: installed }: Package, folder: string): Runner {
  const temp = join(folder, '..', `${folder.split('/').at(-1)}-temp`);
  mkdirSync(temp, { recursive: true });
  return { action: join(installed, 'pipelines', 'github'), folder, path: [], temp };
}

/** Runs the action in a new job. */
export function act(
  given: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
  { installed, folder }: { installed: Package; folder: string },
): Promise<Done> {
  return runAction(given, environment, githubRunner(installed, folder));
}

interface SarifResult {
  readonly level: string;
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly suppressions?: readonly object[];
}

function resultsIn(path: string): SarifResult[] {
  const log = JSON.parse(readFileSync(path, 'utf8')) as { runs: { results: SarifResult[] }[] };
  return log.runs.flatMap(({ results }) => results);
}

const fingerprintOf = ({ partialFingerprints }: SarifResult) => partialFingerprints['aisecFinding/v1'] ?? '';

/** Returns the fingerprints of the findings that failed the gate, from its SARIF file. */
export function fingerprintsOfFailures(sarif: string): string[] {
  return resultsIn(sarif)
    .filter(({ level }) => level === 'error')
    .map(fingerprintOf);
}

/** Returns the fingerprints of accepted findings from the SARIF file. */
export function acceptedIn(sarif: string): string[] {
  return resultsIn(sarif)
    .filter(({ suppressions }) => suppressions !== undefined)
    .map(fingerprintOf);
}

/** Writes a policy's acceptances. */
export function acceptances(fingerprints: readonly string[]): string {
  const entries = [...new Set(fingerprints)].map(
    (finding) =>
      `  - finding: ${finding}\n    owner: dana@example.com\n    reason: Known, and watched.\n    expires: 2999-12-31\n`,
  );
  return entries.length === 0 ? '' : `accepted:\n${entries.join('')}`;
}

/** Reports whether a hostile input was executed. */
export function isPwned(folder: string): boolean {
  return existsSync(join(folder, 'pwned')) || readdirSync(folder).some((name) => name.includes('pwned'));
}
