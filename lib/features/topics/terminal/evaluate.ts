/** Runs `aisec topics eval`: scans labelled prompts, and measures how well a topic tells them apart. */
import { basename } from 'node:path';
import { AisecError, CancelledError, GateError, ServiceError, UsageError } from '../../../core/errors.ts';
import type { Runtime } from '../../../core/runtime.ts';
import { fingerprint } from '../../../core/text/fingerprint.ts';
import { plural } from '../../../core/text/numbers.ts';
import { readNamedFile } from '../../../hosts/terminal/line/named-file.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import { type Session, sessionOf } from '../../../hosts/terminal/line/session.ts';
import { usageError } from '../../../hosts/terminal/line/subcommand.ts';
import { commandRunner } from '../../../hosts/terminal/result/command-runner.ts';
import { dialectOf, subcommandLine } from '../../../hosts/terminal/ui/shell.ts';
import { Api } from '../../../runtime/api/client.ts';
import { dispatch } from '../../../runtime/engine/dispatch.ts';
import { scanReports } from '../../explain/scan-report.ts';
import { hitsOf } from '../hits.ts';
import { type TopicInForce, topicInForce } from '../in-force.ts';
import { type Labelled, readLabelled } from '../labelled.ts';
import { countsOf, metricsOf } from '../metrics.ts';
import { type Evaluation, showEvaluation, showPlan } from './evaluation-view.ts';
import type { TopicsContext } from './flags.ts';
import { brokenLimits, checkLimits, type Limit, limitsIn } from './limits.ts';

const SCAN = 'aisec-runtime-bulk-scan';

/** @returns 0; 1 if a limit is broken; 8 if a prompt has no verdict */
export async function evaluateTopic(file: string, cli: TopicsContext, usage: string): Promise<number> {
  const { options, screen, signal, host } = cli;
  const { topic: name } = options;
  if (name === undefined || name.trim() === '') throw usageError('aisec topics eval needs --topic NAME.', usage);
  // The profile of a war room is a section of the settings file.
  if (cli.session !== undefined) {
    const dialect = dialectOf(host.environment);
    throw new UsageError('aisec topics eval runs in a shell, not in the war room.', {
      hint: `Leave with exit, then run: ${subcommandLine(['topics', 'eval', file, '--topic', name], { dialect, options: [] })}`,
    });
  }
  const limits = limitsIn(options);
  const text = await readNamedFile(file, cli);
  const session = await sessionOf({ ...cli, options: { ...options, profile: options.section } });
  try {
    const run = commandRunner(host, session, signal, { literal: true });
    const topic = await topicInForce(name, options.profile, run);
    const rows = await readLabelled(text, basename(file), topic.action);
    checkLimits(limits, rows, basename(file));
    if (options.dryRun) {
      await showPlan({ topic, rows, simulated: options.simulate }, cli);
      return limits.length > 0 || options.exitCode ? await cli.report(unscannedError()) : 0;
    }
    const evaluation = await evaluated(rows, topic, session, cli);
    await showEvaluation({ ...evaluation, limits }, cli);
    if (evaluation.simulated && isForPrograms(cli.format)) {
      screen.note('note: answered by the simulated service, not by a tenant.');
    }
    const error = errorOf(evaluation, limits);
    return error === undefined ? 0 : await cli.report(error);
  } finally {
    await session.close();
  }
}

async function evaluated(
  rows: readonly Labelled[],
  topic: TopicInForce,
  session: Session,
  cli: TopicsContext,
): Promise<Omit<Evaluation, 'limits'>> {
  const runtime = await session.runtime(cli.signal, false);
  const { records, simulated, failure } = await scanned(rows, topic, runtime, cli);
  const api = new Api(runtime);
  const hits = await hitsOf(records, rows.length, topic, (scans) => scanReports(scans, api, runtime.clock));
  const counts = countsOf(rows, hits);
  return { topic, rows, hits, counts, metrics: metricsOf(counts), simulated, failure };
}

/** Scans the prompts as one bulk scan, with the labelled prompts as rows in the same order. */
async function scanned(rows: readonly Labelled[], topic: TopicInForce, runtime: Runtime, cli: TopicsContext) {
  const records: unknown[] = [];
  const args = {
    profile_name: topic.profile,
    prompts_csv: rows.map(({ prompt }) => JSON.stringify({ prompt })).join('\n'),
    input_format: 'jsonl',
    // Each state of the guardrail has its own session, so that results of another state are never resumed.
    session_id: `topics-eval-${fingerprint([topic.topic, ...topic.state])}`,
    resume: String(cli.options.resume),
  };
  const pairs = Object.entries(args).map(([name, value]) => ({ name, value }));
  const { context: _context, ...plain } = runtime;
  try {
    const result = await dispatch({ name: SCAN, pairs, positionals: [] }, cli.host.registry, {
      ...plain,
      stream: (record) => void records.push(record),
    });
    // A stop is reported as a stop, because the user can resume later.
    if (result.failure instanceof CancelledError) throw result.failure;
    return { records, simulated: result.simulated, failure: result.failure };
  } catch (thrown) {
    if (thrown instanceof AisecError && thrown.hint !== undefined)
      thrown.hint = thrown.hint.replace('with resume=true', 'with --resume');
    throw thrown;
  }
}

/** A command with limits never passes without scans. */
function unscannedError() {
  return new ServiceError('This is a dry run: nothing was scanned, so no limit was checked.', {
    hint: 'This is not a pass. Leave out --dry-run to scan.',
  });
}

function errorOf({ counts, metrics, rows, failure }: Omit<Evaluation, 'limits'>, limits: readonly Limit[]) {
  if (counts.unscanned > 0 || failure !== undefined) {
    const why = failure === undefined ? '' : ` ${failure.message}`;
    return new ServiceError(
      `${plural(counts.unscanned, 'prompt')} of ${rows.length} ${counts.unscanned === 1 ? 'has' : 'have'} no answer.${why}`,
      { hint: 'This is not a pass: repeat the line with --resume, or see the reasons above.' },
    );
  }
  const broken = brokenLimits(limits, metrics);
  if (broken.length === 0) return undefined;
  return new GateError(`The topic fails: ${broken.join('; ')}.`, {
    hint: 'See the misses above: change the examples or the description of the topic, or the labels.',
  });
}
