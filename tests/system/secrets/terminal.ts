/** The terminal host with all commands, on in-memory streams, with all output of a run. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { PROGRAM } from '../../../bin/subcommands.ts';
import { registry } from '../../../commands/index.ts';
import type { Clock } from '../../../lib/core/ports.ts';
import { main } from '../../../lib/hosts/terminal/shell/main.ts';
import { catalogueOf } from '../../../lib/manifest/describe.ts';
import { simulatedTransport } from '../../../lib/runtime/transport/simulated.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LINE_FILES } from '../../support/lines.ts';
import { TEST_TIME } from '../../support/simulated.ts';
import type { CanaryService } from './canaries.ts';

export interface Shown {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Texts of the files that the run wrote, by name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface RunOptions {
  /** Lines from a pipe, or lines typed into a war room. */
  readonly input?: string;
  readonly terminal?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Terminal {
  /** The line with the paths of its files. */
  located(line: string): string;
  /** Runs the program against a service. */
  run(argv: readonly string[], service: CanaryService, options?: RunOptions): Promise<Shown>;
  /** The folder of all files, including the caller's. */
  readonly directory: string;
}

export function openTerminal(): Terminal {
  const directory = temporaryFolder('secrets');
  const made = join(directory, 'made');
  for (const [name, text] of Object.entries(LINE_FILES)) writeFileSync(join(directory, name), text);
  const names = new RegExp(`=(${Object.keys(LINE_FILES).join('|')})(?=\\s|$)`, 'g');
  return {
    directory,
    located: (line) => line.replace(names, (_, name: string) => `=${join(directory, name)}`),
    run: async (argv, service, options = {}) => {
      const { code, stdout, stderr } = await runOn(['--files-dir', made, ...argv], service, directory, options);
      const files = filesIn(made);
      rmSync(made, { recursive: true, force: true });
      return { code, stdout, stderr, files };
    },
  };
}

async function runOn(argv: readonly string[], service: CanaryService, state: string, options: RunOptions) {
  const { input, terminal = false, environment = {} } = options;
  const stdin = Object.assign(new PassThrough(), { isTTY: terminal });
  const [stdout, stderr] = [sink(terminal), sink(terminal)];
  if (input !== undefined) stdin.end(input);
  const code = await main(
    {
      argv: ['--simulate', '--yes', ...argv],
      environment: { XDG_STATE_HOME: state, ...environment },
      stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      registry,
      catalogue: () => catalogueOf(registry),
      playbooks: async () => [],
      openApi: async () => '',
      version: '1.2.3',
      simulated: async () => ({
        transport: (clock, host) => {
          withoutWaiting(clock);
          return simulatedTransport(service.handle, clock, host);
        },
        settings: () => service.settings('http://localhost'),
        serve: async () => {
          throw new Error('nothing to serve');
        },
      }),
    },
    PROGRAM,
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** A clock on which time passes only during waits. */
function withoutWaiting(clock: Clock): void {
  const start = TEST_TIME;
  let now = start;
  clock.now = () => now;
  clock.elapsed = () => now - start;
  clock.wait = async (milliseconds) => {
    now += Math.max(0, milliseconds);
  };
}

function sink(isTTY: boolean) {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (piece, _, done) => {
      pieces.push(String(piece));
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns: 120 }), text: () => pieces.join('') };
}

function filesIn(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(names.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name), 'utf8')]));
}
