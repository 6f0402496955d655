/** Process signals as one AbortSignal. A second signal is not caught, so it kills the process. */

type Streams = Readonly<Record<'stdin' | 'stdout' | 'stderr', { isTTY?: boolean | undefined }>>;

/**
 * Lists the signals that ask the program to end. SIGHUP counts only with a terminal: `nohup` makes the process ignore
 * it, and a listener would undo that. Windows has Ctrl-Break instead of SIGTERM, and SIGHUP for a closed console.
 */
export function endings(
  { stdin, stdout, stderr }: Streams,
  platform: NodeJS.Platform = process.platform,
): readonly NodeJS.Signals[] {
  if (platform === 'win32') return ['SIGBREAK', 'SIGHUP'];
  const hasTerminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY === true);
  return hasTerminal ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM'];
}

/** Listens for the first of the signals. @param onSignal called with its name, before the work is stopped */
export function listenFor(
  signals: readonly NodeJS.Signals[],
  onSignal: (name: NodeJS.Signals) => void = () => undefined,
) {
  const controller = new AbortController();
  const release = () => {
    for (const name of signals) process.off(name, stop);
  };
  let heard: NodeJS.Signals | undefined;
  const stop = (name: NodeJS.Signals) => {
    release();
    heard = name;
    onSignal(name);
    controller.abort();
  };
  for (const name of signals) process.on(name, stop);
  /** Returns the exit code that a shell reports after this signal. */
  const exitCode = () => CODES[heard ?? 'SIGINT'] ?? STOPPED;
  return { signal: controller.signal, release, exitCode };
}

/** Exit codes that a shell reports after a signal, with a default for any other signal. */
const CODES: Partial<Readonly<Record<NodeJS.Signals, number>>> = { SIGHUP: 129, SIGTERM: 143 };
const STOPPED = 130;

/** Reports whether a signal has ended the work. */
export function isStopCode(code: number): boolean {
  return code === STOPPED || Object.values(CODES).includes(code);
}
