/**
 * Runs a root file system as a container runtime does: read-only, by a user without privileges, with the program as process 1
 * of its own, and without network unless it is asked for.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ImageConfig } from './image.ts';

export interface Sandbox {
  readonly root: string;
  readonly config: ImageConfig;
}

export interface RunOptions {
  /** Instead of the image's entry point. */
  readonly entrypoint?: readonly string[];
  /** A folder of this machine, mounted at `/data`. */
  readonly data?: string;
  /** `uid:gid`, instead of the image's. */
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it has the network of this machine. */
  readonly network?: boolean;
  /** Whether its root file system is mounted for writing, as container runtimes do by default. */
  readonly writable?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  /** What it has written to stdout until now. */
  written(): string;
  /** Sends a signal to the program. The kernel drops signals that process 1 does not listen to, so it must have started. */
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** Mounts, then leaves the root user; the arguments come from `sandboxWords`. */
const SCRIPT = `
root=$1 mode=$2 data=$3 user=$4 group=$5 folder=$6
shift 6
mount --bind "$root" "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o nosuid,mode=755 tmpfs "$root/dev"
for name in null zero urandom; do
  touch "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
if [ -n "$data" ]; then mount --bind "$data" "$root/data"; fi
mount -o "remount,bind,$mode" "$root"
exec setpriv --no-new-privs unshare --root="$root" --wd="$folder" --setgid="$group" --setuid="$user" -- "$@"
`;
/** Where the script finds its programs; the image has only the second of them. */
const PATH = '/bin:/usr/bin:/sbin:/usr/sbin';
const TIMEOUT_MS = 120_000;

/** Runs a program to its end. */
export function run(sandbox: Sandbox, words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return start(sandbox, words, options).ended;
}

/** Starts a program; it is killed if it takes longer than two minutes, or when this process ends. */
export function start(sandbox: Sandbox, words: readonly string[], options: RunOptions = {}): Running {
  const child = spawn('unshare', sandboxWords(sandbox, words, options), {
    env: { ...variablesOf(sandbox.config), ...options.environment, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    texts.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    texts.stderr += String(chunk);
  });
  return {
    written: () => texts.stdout,
    signal: (name) => {
      process.kill(processIn(child), name);
    },
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts })),
  };
}

function sandboxWords(sandbox: Sandbox, words: readonly string[], options: RunOptions): string[] {
  const { root, config } = sandbox;
  const [user = '', group = user] = (options.user ?? config.User ?? '').split(':');
  const apart = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', ...(options.network ? [] : ['--net'])];
  const mode = options.writable ? 'rw' : 'ro';
  const places = [root, mode, options.data ?? '', user, group, config.WorkingDir ?? '/'];
  const program = options.entrypoint ?? config.Entrypoint ?? [];
  return [...apart, '--', 'sh', '-ec', SCRIPT, 'sh', ...places, ...program, ...words];
}

function variablesOf({ Env = [] }: ImageConfig): Record<string, string> {
  return Object.fromEntries(Env.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

/** Finds the process that `unshare` forked: the script, which has become the program. */
function processIn({ pid = 0 }: ChildProcess): number {
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10);
}
