/** Shows a watched scan while it runs: a block that is redrawn on a terminal, lines elsewhere. */
import type { Amount, ShowProgress } from '../../core/progress.ts';
import type { LiveScan } from '../../features/watch/live-scan.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { sanitize } from '../../hosts/terminal/render/sanitize.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { liveLines, logLine } from './view.ts';

const SILENCE_MS = 30_000;

interface Reporter {
  state(scan: LiveScan): void;
  readonly progress: ShowProgress;
}

/** Creates the reporter for the streams of the program. */
export function reporterFor({ screen, options }: Pick<SubcommandContext, 'screen' | 'options'>): Reporter {
  // Standard output of a program has the outcome alone.
  const isData = options.format !== undefined && isForPrograms(options.format);
  const print = (line: string) => (isData ? screen.report(line) : screen.result(line));
  const since = performance.now();
  let scan: LiveScan | undefined;
  const state = (next: LiveScan) => {
    scan = next;
  };
  if (options.quiet) return { state, progress: () => undefined };
  return screen.redraws
    ? { state, progress: (line, amount) => draw(scan, line, amount) }
    : {
        state,
        progress: inLog(
          (line) => print(sanitize(line)),
          () => scan,
        ),
      };

  function draw(shown: LiveScan | undefined, line: string, amount: Amount | undefined): void {
    if (shown === undefined) screen.progress(line, since, amount);
    else
      screen.live((width, height) =>
        liveLines({ scan: shown, line, amount, since }, { width, height }, screen.noteStyle),
      );
  }
}

/** Prints a line when the state has changed, or after 30 seconds of silence. */
function inLog(print: (line: string) => void, scan: () => LiveScan | undefined): ShowProgress {
  let [before, saidAt] = ['', Number.NEGATIVE_INFINITY];
  return (line) => {
    const latest = scan();
    const key = latest === undefined ? line : `${latest.job.status} ${latest.job.completed}`;
    const now = performance.now();
    if (key === before && now - saidAt < SILENCE_MS) return;
    [before, saidAt] = [key, now];
    print(latest === undefined ? line : logLine(latest, line));
  };
}
