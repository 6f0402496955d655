/** Runs `aisec gate`: fetches a result, decides whether a build passes, and writes the verdict for people and programs. */
import { GateError, ServiceError, UsageError } from '../../../core/errors.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import { type Session, sessionOf } from '../../../hosts/terminal/line/session.ts';
import { commandRunner } from '../../../hosts/terminal/result/command-runner.ts';
import { oneLineCell } from '../../../hosts/terminal/ui/cells.ts';
import { jsonText } from '../../../hosts/terminal/ui/json.ts';
import { sanitize } from '../../../hosts/terminal/ui/sanitize.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import type { Result } from '../../../runtime/output/result.ts';
import { intervalJson } from '../../scans/chance.ts';
import { withBulkFiles } from '../../scans/open-bulk-files.ts';
import { jobIdOf, MODEL_SCAN } from '../../scans/scans.ts';
import type { Verdict } from '../decide.ts';
import { SEVERITIES } from '../finding.ts';
import { type GateTools, gateBulk, gateModel, gateRedTeam, scanModel, startRedTeam } from '../gates.ts';
import type { PolicyFile } from '../policy/policy.ts';
import { workflowCommands } from '../reports.ts';
import { checkGateFiles, writeGateFiles } from './files.ts';
import type { GateContext } from './flags.ts';
import { hintFor, noteSimulated, renderVerdict, showPlanned } from './verdict-view.ts';

/** Runs a gate. @returns 0 if it passes; otherwise the exit code of the reported error */
export async function runGate(cli: GateContext): Promise<number> {
  const { host, options, screen, report } = cli;
  await checkGateFiles(options);
  const session = await sessionOf(cli);
  try {
    // Simulated verdicts must not be mistaken for a tenant's.
    let simulated = false;
    const onPlanned = options.dryRun ? (planned: Result) => showPlanned(planned, cli, simulated) : undefined;
    const run = commandRunner(host, session, cli.signal, { onPlanned });
    const ask: RunCommand = async (name, args) => {
      const answer = await run(name, args);
      simulated ||= answer.simulated;
      return answer;
    };
    const policy = await policyOf(options.policy, cli, session);
    const { clock } = await session.runtime(cli.signal);
    const verdict = await verdictOf(cli, session, { ask, policy, now: clock.now() });
    simulated ||= verdict.simulated === true;
    if (simulated) noteSimulated(cli);
    for (const note of verdict.notes ?? []) screen.note(`warning: ${sanitize(oneLineCell(note))}`);
    const files = await writeGateFiles(verdict, simulated, cli);
    const isData = options.format !== undefined && isForPrograms(options.format);
    const error = errorOf(verdict, isData);
    // People read a gate in a pipeline's log, so even in a pipe its output is for people unless a format was requested.
    if (isData) screen.result(jsonText(asJson(verdict, simulated), screen.terminal));
    else {
      const view = { simulated, explain: options.explain, files, exitCode: error?.exitCode ?? 0 };
      screen.result(await renderVerdict(verdict, view, screen));
    }
    if (options.annotations) screen.command(workflowCommands(verdict));
    return error === undefined ? 0 : await report(error);
  } finally {
    await session.close();
  }
}

/** Reads the policy that the options name. */
export async function policyOf(
  path: string | undefined,
  cli: Pick<GateContext, 'signal'>,
  session: Session,
): Promise<PolicyFile | undefined> {
  if (path === undefined) return undefined;
  const [{ readPolicy }, { readAll }] = await Promise.all([
    import('../policy/read-policy.ts'),
    import('../../../core/ports.ts'),
  ]);
  const { files } = await session.runtime(cli.signal);
  return readPolicy(await readAll(files, await files.find(path)), path);
}

async function verdictOf(cli: GateContext, session: Session, tools: GateTools): Promise<Verdict> {
  const [kind = '', subject = '', ...words] = cli.words;
  const { maxAsr, failOn, baseline, scan, securityGroup = '', start, wait } = cli.options;
  switch (kind) {
    case 'model': {
      const uuid =
        scan === undefined
          ? await jobIdOf(subject, cli, session, MODEL_SCAN)
          : await scanModel({ uri: scan, securityGroup, wait }, tools);
      return gateModel(uuid, tools);
    }
    case 'bulk':
      return bulk([subject, ...words], cli, session, tools);
    default: {
      const jobId =
        start === undefined
          ? await jobIdOf(subject, cli, session)
          : await startRedTeam({ target: start, args: argumentsIn([subject, ...words]), wait }, tools);
      const failing = SEVERITIES.find((severity) => severity === failOn);
      const against = baseline === undefined ? undefined : await jobIdOf(baseline, cli, session);
      return gateRedTeam({ jobId, maxAsr, failOn: failing, baseline: against }, tools);
    }
  }
}

async function bulk(paths: readonly string[], cli: GateContext, session: Session, tools: GateTools) {
  const { csv, promptColumn: column = 'prompt' } = cli.options;
  const { files } = await session.runtime(cli.signal);
  return withBulkFiles(paths, files, async (requests) => {
    if (csv === undefined) return gateBulk(requests, tools);
    const input = { reader: await files.read(await files.find(csv)), name: csv, column };
    return gateBulk(
      requests.map((request) => ({ ...request, input })),
      tools,
    );
  });
}

/** Reads `name=value` words: the arguments of the scan to start. */
function argumentsIn(words: readonly string[]): Record<string, string> {
  const pairs = words
    .filter((word) => word !== '')
    .map((word): [string, string] => {
      const end = word.indexOf('=');
      if (end < 1)
        throw new UsageError(`"${word.slice(0, 40)}" is not an argument of the scan.`, {
          hint: 'Such as job_type=STATIC.',
        });
      return [word.slice(0, end), word.slice(end + 1)];
    });
  return Object.fromEntries(pairs);
}

/** @param isData whether the message is for programs, which see no first line that names the result */
function errorOf(verdict: Verdict, isData: boolean) {
  const { failed, unfinished, summary, named, see } = verdict;
  const seeIt =
    see === undefined ? 'wait for the result, or examine it.' : `wait for the result, or see it with: ${see}`;
  if (unfinished !== undefined) return new ServiceError(unfinished, { hint: `This is not a pass: ${seeIt}` });
  return failed
    ? new GateError(`The gate failed: ${isData ? summary : (named?.summary ?? summary)}`, { hint: hintFor(verdict) })
    : undefined;
}

function asJson(verdict: Verdict, simulated: boolean) {
  const { subject, failed, unfinished, summary, findings, limits, notes = [], baseline, rate } = verdict;
  return {
    gate: subject,
    passed: !failed && unfinished === undefined,
    unfinished: unfinished ?? null,
    summary,
    limits,
    // Reports are shared more widely than results, so they do not contain prompts.
    findings: findings.map(
      ({ excerpt: _excerpt, labels: _labels, explained: _explained, hasNoSeverity: _graded, ...finding }) => finding,
    ),
    notes,
    ...(baseline === undefined ? {} : { baseline }),
    ...(rate === undefined ? {} : { rate: { asr: rate.asr, interval: intervalJson(rate.interval) } }),
    ...(simulated ? { simulated } : {}),
  };
}
