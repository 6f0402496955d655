/** Opens files and addresses in the user's browser. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SECRET_VARIABLES } from '../line/options.ts';
import type { Environment, TerminalHost } from '../ui/host.ts';

/** Some openers run as long as the browser does, so after this time without a failure, the page counts as open. */
const OPENED_MS = 2000;

/** Opens a file. @param path absolute @returns false if there is no browser to open it */
export async function opensFile(path: string, { environment }: Pick<TerminalHost, 'environment'>): Promise<boolean> {
  const opener = openerOf(process.platform, environment);
  if (opener === undefined) return false;
  const [program, ...words] = opener;
  // The browser needs no credentials.
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_VARIABLES.includes(name)));
  const child = spawn(program, [...words, path], { detached: true, stdio: 'ignore', env });
  child.unref();
  const ended = new Promise<boolean>((done) => {
    child.once('error', () => done(false));
    child.once('close', (code) => done(code === 0));
  });
  return Promise.race([ended, pause(OPENED_MS, true)]);
}

/** Time in which a browser reads the file that leads to an address, in milliseconds. */
const READ_MS = 10_000;

/**
 * Opens an address with a secret in it. The address is in a file that only the user can read: other users of the
 * machine can list the arguments of a process.
 * @returns false if there is no browser to open it
 */
export async function opensAddress(address: string, host: Pick<TerminalHost, 'environment'>): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'aisec-open-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const file = join(folder, 'open.html');
  await writeFile(file, `<!doctype html><title>aisec</title><meta http-equiv="refresh" content="0;url=${address}">\n`);
  const isOpen = await opensFile(file, host);
  if (!isOpen) await remove();
  // A browser that is still starting has not read the file.
  else void pause(READ_MS, undefined, { ref: false }).then(remove, () => undefined);
  return isOpen;
}

/**
 * Returns the program that opens a file, with its first arguments; undefined if there is no display.
 */
export function openerOf(
  platform: NodeJS.Platform,
  environment: Environment,
): readonly [program: string, ...words: string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // Do not use cmd.exe, which would read a file name as a command line.
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler'];
  const hasDisplay = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'].some(
    (name) => (environment[name] ?? '') !== '',
  );
  return hasDisplay ? ['xdg-open'] : undefined;
}
