/** Runs the program in this process, on a terminal that keeps what it shows. */
import { PassThrough } from 'node:stream';
import { registry } from '../../commands/index.ts';
import { startScan } from '../../fixtures/lines/index.ts';
import { createService } from '../../fixtures/service/index.ts';
import { main } from '../../lib/cli/main.ts';
import type { Simulate } from '../../lib/client/simulation.ts';
import { folded } from '../../lib/hosts/terminal/render/wrap.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { simulatedTransport } from '../../lib/transport/simulated.ts';
import { filesSettled, PICTURE_TIME, passRequest, STILL } from './time.ts';

/** A shell of a user would pick up settings and show other paths. */
const ENVIRONMENT = { TERM: 'xterm-256color', SHELL: '/bin/sh' };
/** Where the pictures say that files are. */
const SHOWN_FOLDER = '/home/aisec';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Circumstances {
  readonly size: TerminalSize;
  /** Home and working directory of the user. */
  readonly folder: string;
  readonly simulated: Simulate;
  /** The lines that are drawn in place are to be seen, which need the width of the notes. */
  readonly isLive?: boolean;
}

/** Runs a command line. @returns the exit code, and all that was written to the terminal */
export async function runProgram(argv: readonly string[], circumstances: Circumstances) {
  const { size, folder, simulated, isLive = false } = circumstances;
  const { columns } = size;
  const written: string[] = [];
  const terminal = (shown: (text: string) => string, known: Partial<TerminalSize>) => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, ...known });
    stream.on('data', (chunk) => written.push(shown(String(chunk))));
    return stream;
  };
  const [result, note] = [resultIn(folder, columns), noteIn(folder, columns)];
  const stdin = new PassThrough();
  stdin.end();
  const code = await main({
    argv: ['--simulate', ...argv],
    environment: { ...ENVIRONMENT, HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
    stdin,
    stdout: terminal(result, size),
    stderr: isLive ? terminal((text) => text, size) : terminal(note, {}),
    registry,
    catalogue: () => catalogueOf(registry),
    playbooks: async () => [],
    openApi: async () => '',
    version: '1.0.0',
    simulated,
  });
  return { code, written };
}

// A path of this machine has another length elsewhere, so that lines are folded after it is replaced.
function noteIn(folder: string, columns: number) {
  return (text: string) => folded(text.replaceAll(folder, SHOWN_FOLDER), columns);
}

function resultIn(folder: string, columns: number) {
  return (text: string) =>
    text.includes(folder)
      ? folded(text.replaceAll(`\n${folder}`, ` ${folder}`).replaceAll(folder, SHOWN_FOLDER), columns)
      : text;
}

/** Creates a simulated tenant that all runs share. @param isScanning a red-team scan is under way, which the seed has not */
export function tenant(isScanning: boolean): Simulate {
  const service = createService({ now: PICTURE_TIME });
  if (isScanning) startScan(service, STILL);
  return async () => ({
    transport: (clock, host) => {
      const handle: typeof service.handle = (request, at) => {
        passRequest();
        return service.handle(request, at);
      };
      const { send } = simulatedTransport(handle, clock, host);
      return {
        send: async (request) => {
          await filesSettled();
          return send(request);
        },
      };
    },
    settings: () => service.settings('http://localhost'),
    serve: () => Promise.reject(new Error('Pictures need no server.')),
  });
}
