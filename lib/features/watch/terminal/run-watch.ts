/** Runs `aisec watch`: follows a red-team scan to its end, then reports its outcome or the verdict of a gate. */
import { CancelledError, ServiceError, UsageError } from '../../../core/errors.ts';
import { asText } from '../../../core/json.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import { type Session, sessionOf } from '../../../hosts/terminal/line/session.ts';
import type { SubcommandContext } from '../../../hosts/terminal/line/subcommand.ts';
import { commandRunner } from '../../../hosts/terminal/result/command-runner.ts';
import { jsonText } from '../../../hosts/terminal/ui/json.ts';
import { sanitize } from '../../../hosts/terminal/ui/sanitize.ts';
import { subcommandLine } from '../../../hosts/terminal/ui/shell.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import { SEVERITIES } from '../../gate/finding.ts';
import { checkRedTeam, limitsAnything } from '../../gate/gates.ts';
import { checkGateFiles } from '../../gate/terminal/files.ts';
import { type GateOptions, gateFiles, redTeamFlags, typedAgain } from '../../gate/terminal/flags.ts';
import { policyOf, runGate } from '../../gate/terminal/run-gate.ts';
import { type RedTeamScan, runCommand } from '../../scans/commands.ts';
import { jobIdOf } from '../../scans/scans.ts';
import { findScan } from '../find-scan.ts';
import { type LiveScan, progressOf, scanHasEnded, watchScan } from '../until-ended.ts';
import { endLines, reporterFor, watchJson } from './watch-view.ts';

type WatchContext = SubcommandContext<typeof redTeamFlags>;

/** Default limits, in seconds. */
const [A_DAY, INTERVAL] = [86_400, 15];
/** Options that the hint repeats; the shell already has the tenant's options. */
const REPEATED = Object.keys(redTeamFlags) as (keyof typeof redTeamFlags)[];

/** Next steps after a scan that did not complete. */
const NEXT: Readonly<Record<string, (id: string) => string>> = {
  FAILED: (id) => `See why with: !aisec-redteam-scan-error-logs job_id=${id}`,
  ABORTED: () => 'The scan was stopped: start another one.',
  PARTIALLY_COMPLETE: (id) =>
    `Unlock its report, for one quota credit, with: !aisec-redteam-report-generate-partial job_id=${id}`,
};

/** Watches a scan. @returns 0 if it completed, or passed its limits; otherwise the exit code of the reported error */
export async function runWatch(word: string, cli: WatchContext): Promise<number> {
  await checkGateFiles(gateOptions(cli));
  const session = await sessionOf(cli);
  try {
    const seen = { simulated: false };
    const asking = (on: Pick<Session, 'runtime' | 'working'>): RunCommand => {
      const run = commandRunner(cli.host, on, cli.signal);
      return async (name, args) => {
        const answer = await run(name, args);
        seen.simulated ||= answer.simulated;
        return answer;
      };
    };
    const ask = asking(session);
    // The watch's reporter shows the scan; names of polls would only be in the way.
    const poll = asking({ runtime: session.runtime, working: () => () => undefined });
    const scan: Seen = { id: word, job: {} };
    const { isGate, last } = await untilEnded(scan, { ask, poll }, cli, session).catch((thrown: unknown) => {
      throw thrown instanceof CancelledError ? stoppedWatching(scan, cli) : thrown;
    });
    if (isGate) return await runGate({ ...cli, options: gateOptions(cli), words: ['redteam', scan.id], session });
    if (seen.simulated) cli.screen.note('note: answered by the simulated service, not by a tenant.');
    return await showEnd(last, seen.simulated, cli);
  } finally {
    await session.close();
  }
}

/** What is known about the scan: its word or id, and the last answer about it. */
interface Seen {
  id: string;
  job: RedTeamScan;
}

interface Asking {
  readonly ask: RunCommand;
  readonly poll: RunCommand;
}

/** Finds the scan, and waits for its end. */
async function untilEnded(scan: Seen, { ask, poll }: Asking, cli: WatchContext, session: Session) {
  const { options, screen } = cli;
  const since = performance.now();
  const say = (line: string) => options.quiet || screen.progress(line, since);
  try {
    if (!options.exact) {
      say(`Looking for the latest scan of ${scan.id}`);
      scan.id = await findScan(scan.id, ask);
    }
    say(`Reading the red-team scan ${scan.id}`);
    const isGate = await checkLimits(scan.id, ask, cli, session);
    return { isGate, last: await follow(scan, poll, cli, session) };
  } finally {
    screen.settle();
  }
}

/** Says that the watch was stopped, and that the scan goes on only if the scan was seen running. */
function stoppedWatching({ id, job }: Seen, cli: WatchContext): CancelledError {
  const { name, status } = job;
  const state = `${asText(status)} at ${progressOf(job).progress}`;
  const isRunning = status !== undefined && !scanHasEnded(job);
  const goesOn = isRunning ? ` The red-team scan ${asText(name ?? id)} goes on, ${state}.` : '';
  return new CancelledError(`Stopped watching.${goesOn}`, { hint: `Watch it again with: ${againLine(id, cli)}` });
}

/** Writes the command line that watches the scan again. */
function againLine(id: string, { options, screen }: WatchContext): string {
  return subcommandLine(['watch', id, ...typedAgain(REPEATED, options, redTeamFlags)], screen.shell);
}

/** Returns the options of the gate, which does not start a scan here. */
function gateOptions({ options }: WatchContext): GateOptions {
  const others = {
    scan: undefined,
    securityGroup: undefined,
    start: undefined,
    csv: undefined,
    promptColumn: undefined,
  };
  return { ...options, ...others, wait: false };
}

/** Refuses impossible limits before the wait. @returns whether limits are set */
async function checkLimits(jobId: string, ask: RunCommand, cli: WatchContext, session: Session): Promise<boolean> {
  const { maxAsr, failOn, baseline, policy: path } = cli.options;
  const policy = await policyOf(path, cli, session);
  const against = baseline === undefined ? undefined : await jobIdOf(baseline, cli, session);
  const limits = { maxAsr, failOn: SEVERITIES.find((severity) => severity === failOn), baseline: against };
  if (limitsAnything(limits, policy)) {
    const { record } = await runCommand(ask, 'aisec-redteam-scan-get', { job_id: jobId });
    await checkRedTeam(record, limits, { ask, policy });
    return true;
  }
  if (path === undefined && gateFiles(cli.options).length === 0 && !cli.options.annotations) return false;
  throw new UsageError('A verdict needs a limit.', {
    hint: 'Add --max-asr N, --fail-on critical|high|medium|low, --baseline JOB_ID, or a policy with redteam.',
  });
}

async function follow(scan: Seen, poll: RunCommand, cli: WatchContext, session: Session): Promise<LiveScan> {
  const { options, screen, signal } = cli;
  const { clock, stop, defaults } = await session.runtime(signal);
  const reporter = reporterFor(cli);
  const interval = Number(defaults?.['interval'] ?? INTERVAL);
  const ask: RunCommand = async (name, args) => {
    const answer = await poll(name, args);
    if (name === 'aisec-redteam-scan-get') scan.job = answer.record;
    return answer;
  };
  return watchScan({
    ...{ jobId: scan.id, ask, again: againLine(scan.id, cli), runtime: { clock, stop } },
    limits: { timeout: options.timeoutSeconds ?? A_DAY, interval },
    onState: reporter.state,
    onProgress: reporter.progress,
    warn: (sentence) => options.quiet || screen.note(`warning: ${sanitize(sentence)}`),
  });
}

async function showEnd(scan: LiveScan, simulated: boolean, cli: WatchContext): Promise<number> {
  const { screen, options, report } = cli;
  // As with a gate, even in a pipe the output is for people unless a format was requested.
  if (options.format !== undefined && isForPrograms(options.format))
    screen.result(jsonText(watchJson(scan, simulated), screen.terminal));
  else screen.result(endLines(scan, screen).join('\n'));
  const { uuid, name, status } = scan.job;
  if (status === 'COMPLETED') return 0;
  const hint = NEXT[asText(status)]?.(asText(uuid));
  const { progress } = progressOf(scan.job);
  return report(
    new ServiceError(`The red-team scan ${asText(name ?? uuid)} ended as ${asText(status)}, at ${progress}.`, { hint }),
  );
}
