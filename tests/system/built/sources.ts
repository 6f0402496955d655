/** Runs the same commands with the packed program and with the sources, each against its own service in the same state. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { PROGRAM } from '../../../bin/subcommands.ts';
import { registry } from '../../../commands/index.ts';
import { startServer } from '../../../fixtures/service/server.ts';
import type { ServiceRequest } from '../../../fixtures/service/types.ts';
import { main } from '../../../lib/hosts/terminal/shell/main.ts';
import { catalogueOf } from '../../../lib/manifest/describe.ts';
import { filesIn } from '../../support/built-once.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LINE_FILES, lineService } from '../../support/lines.ts';
import { runInstalled } from './package.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Texts of the written files, by name. */
  readonly files: Readonly<Record<string, string>>;
}

interface Place {
  readonly environment: Readonly<Record<string, string>>;
  /** The folder for files. */
  readonly folder: string;
}

/** @param argv `{folder}` is the folder with the lines' files, `{made}` the folder for written files */
export interface Run {
  readonly argv: readonly string[];
  readonly input?: string;
}

/** The services' time: it stands still, and work there finishes immediately. */
const NOW = Date.UTC(2026, 10, 21, 12);

const MADE_ON = /on <time datetime="[^"]+">[^<]+<\/time>/g;
/** The path is relative to the working directory, which the sources share with the tests. */
const RESULTS = /results in \S+\s+gate it: aisec\s+gate bulk\s+\S+/g;
const TOOK = /(?<=prompts? in )\d+\.\d s/g;

/** Runs the installed program. */
export async function byPackage(program: string, { argv, input = '' }: Run): Promise<Outcome> {
  return inPlace(async ({ environment, folder }) =>
    runInstalled(program, filled(argv, folder), { folder, environment, input: filled([input], folder).join('') }),
  );
}

/** Runs the sources in this process. @param version version that the program reports */
export async function bySources({ argv, input = '' }: Run, version: string): Promise<Outcome> {
  return inPlace(async ({ environment, folder }) => {
    const stdin = new PassThrough();
    stdin.end(filled([input], folder).join(''));
    const [stdout, stderr] = [collected(), collected()];
    const code = await main(
      {
        argv: filled(argv, folder),
        environment: { HOME: folder, ...environment },
        stdin,
        stdout: stdout.stream,
        stderr: stderr.stream,
        registry,
        catalogue: () => catalogueOf(registry),
        playbooks: async () => [],
        openApi: async () => '',
        version,
        simulated: () => Promise.reject(new Error('The service is outside.')),
      },
      PROGRAM,
    );
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  });
}

async function inPlace(run: (place: Place) => Promise<Omit<Outcome, 'files'>>): Promise<Outcome> {
  const folder = temporaryFolder('built');
  for (const [name, text] of Object.entries(LINE_FILES)) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'made'));
  const service = lineService({ jobSeconds: 0, processingMs: 0 });
  const still = { ...service, handle: (request: ServiceRequest) => service.handle(request, { now: () => NOW }) };
  const { origin, close } = await startServer(still, { port: 0 });
  try {
    const { code, stdout, stderr } = await run({ environment: service.settings(origin), folder });
    // Values that differ between runs: service address, paths, time of a page, duration.
    const plain = (text: string) =>
      text
        .replaceAll(origin, '{origin}')
        .replaceAll(folder, '{folder}')
        .replace(RESULTS, 'results in {file}')
        .replace(MADE_ON, 'on {time}')
        .replace(TOOK, '{seconds} s');
    const made = Array.from(filesIn(join(folder, 'made')), ([name, bytes]) => [name, plain(bytes.toString('utf8'))]);
    return { code, stdout: plain(stdout), stderr: plain(stderr), files: Object.fromEntries(made) };
  } finally {
    await close();
  }
}

function filled(words: readonly string[], folder: string): string[] {
  return words.map((word) => word.replaceAll('{made}', '{folder}/made').replaceAll('{folder}', folder));
}

function collected() {
  let text = '';
  const stream = new PassThrough();
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  return { stream, text: () => text };
}
