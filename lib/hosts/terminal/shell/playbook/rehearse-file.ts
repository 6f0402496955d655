/** Rehearses or checks a playbook of the platform. */
import { UsageError, ValidationError } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { located } from '../../../../core/places.ts';
import { commandsOf, secretPaths } from '../../../../playbook/commands.ts';
import { type Playbook, titleOf } from '../../../../playbook/playbook.ts';
import { readPlaybookText, resolveInputs } from '../../../../playbook/read-playbook.ts';
import { type PlaybookHost, type PlaybookResult, runPlaybook, type Step } from '../../../../playbook/rehearse.ts';
import { stepJson, type Trace, tracer } from '../../../../playbook/trace.ts';
import { needFound } from '../../../../runtime/engine/command.ts';
import { issuesSecret } from '../../../../runtime/output/record.ts';
import type { Result } from '../../../../runtime/output/result.ts';
import { readNamedFile } from '../../line/named-file.ts';
import { isForPrograms } from '../../line/options.ts';
import { openSession, type Session } from '../../line/session.ts';
import type { Refusal } from '../../line/standard-input.ts';
import type { SubcommandContext } from '../../line/subcommand.ts';
import { progressOn } from '../../result/command-runner.ts';
import { pageFor } from '../../result/page.ts';
import { renderReadable } from '../../result/table.ts';
import { jsonText } from '../../ui/json.ts';
import { sanitize } from '../../ui/sanitize.ts';
import { beginLine, outputsReadable, stepLines, traceLines } from './rehearsal-view.ts';

/** A platform has no standard input, so a rehearsal that reads it would promise too much. */
const IN_PLAYBOOK: Refusal = {
  reason: 'tasks of a playbook cannot read it',
  hint: 'Give the task the path of a file.',
};

/** The inputs as typed, and whether to trace each task. */
interface Asked {
  readonly inputs: readonly string[];
  readonly trace: boolean;
}

/** Checks a playbook. @returns 0 if it can be run; 2 if not */
export async function checkPlaybook(file: string, { inputs }: Asked, cli: SubcommandContext): Promise<number> {
  const { screen, format } = cli;
  try {
    const read = await readFile(file, cli);
    if (inputs.length > 0) resolveInputs(read, parseInputs(inputs), {});
    const { size } = read.tasks;
    if (isForPrograms(format))
      screen.result(jsonText({ file, valid: true, tasks: size, problems: [] }, screen.terminal));
    else screen.result(sanitize(`${file}: ${read.name} can be run; ${size} ${size === 1 ? 'task' : 'tasks'}.`));
    return 0;
  } catch (thrown) {
    if (!isForPrograms(format) || !(thrown instanceof ValidationError)) throw thrown;
    screen.result(jsonText({ file, valid: false, problems: thrown.problems }, screen.terminal));
    return thrown.exitCode;
  }
}

/** Runs a playbook. @returns 0 if it reached its end; otherwise the exit code of the failed task */
export async function rehearseFile(file: string, asked: Asked, cli: SubcommandContext): Promise<number> {
  const { options, screen, format, report } = cli;
  const read = await readFile(file, cli);
  const inputs = resolveInputs(read, parseInputs(asked.inputs), {});
  await requirePlaybookRoom(read, cli);
  cli.input.reserve(IN_PLAYBOOK);
  const session = await openSession(cli);
  try {
    const steps: Step[] = [];
    const traces: Trace[] = [];
    const trace = asked.trace ? await traceOf(read, inputs, cli) : undefined;
    const shows = !isForPrograms(format);
    const line = stepLines(read, screen.style);
    const progress = progressOn(cli, (await session.runtime(cli.signal)).clock);
    if (shows) screen.result(screen.style.bold(sanitize(read.name)));
    const result = await runPlaybook(read, inputs, {
      ...hostOn(session, cli),
      onBegin: (task, amount) => progress(beginLine(task, amount), amount),
      onStep: (step) => {
        steps.push(step);
        const traced = trace?.(step);
        if (traced !== undefined) traces.push(traced);
        if (shows)
          screen.result(
            [line(step), ...(traced === undefined ? [] : traceLines(traced, step, screen.style))].join('\n'),
          );
        if (!options.quiet) noteResults(step.results, (text) => screen.note(text));
      },
    });
    screen.settle();
    await showResult(read, result, steps, traces, cli);
    const { failed } = result;
    return failed === undefined
      ? 0
      : await report(failed.error, located(read.file, failed.task.line, titleOf(failed.task)));
  } finally {
    await session.close();
  }
}

async function readFile(path: string, cli: SubcommandContext): Promise<Playbook> {
  return readPlaybookText(await readNamedFile(path, cli), path, cli.host.registry);
}

async function traceOf(read: Playbook, inputs: JsonObject, { host: { registry }, screen }: SubcommandContext) {
  return tracer(read, inputs, registry, await secretPaths(read, registry), screen.secrets);
}

function parseInputs(texts: readonly string[]): ReadonlyMap<string, string> {
  const inputs = new Map<string, string>();
  for (const text of texts) {
    const end = text.indexOf('=');
    const name = text.slice(0, Math.max(0, end)).trim();
    if (name === '')
      throw new UsageError('Option --input needs NAME=VALUE.', { hint: 'Such as --input profile_name=prod.' });
    if (inputs.has(name)) throw new UsageError(`The input ${name.slice(0, 60)} is given more than once.`);
    inputs.set(name, text.slice(end + 1));
  }
  return inputs;
}

function hostOn(session: Session, cli: SubcommandContext): Omit<PlaybookHost, 'onStep'> {
  const { registry } = cli.host;
  return {
    registry,
    context: session.context,
    run: async (invocation, command) => {
      session.checkRoom();
      const [{ dispatchFound }, runtime] = await Promise.all([
        import('../../../../runtime/engine/dispatch.ts'),
        session.runtime(cli.signal),
      ]);
      // Values from the context are data: no references, and no sources of secrets.
      const { context: _context, secretSource: _source, ...plain } = runtime;
      const found = needFound(command, invocation.name, registry, runtime.advice.commands);
      const end = session.working(invocation.name);
      const result = await dispatchFound(found, invocation, plain).finally(end);
      await keepTaskSecret(result, cli);
      await session.keep(result.writes);
      return result;
    },
    keep: async (writes) => {
      session.checkRoom();
      await session.keep(writes);
    },
    now: async () => (await session.runtime(cli.signal)).clock.now(),
  };
}

function noteResults(results: readonly Result[], note: (text: string) => void): void {
  for (const { files, warnings } of results) {
    for (const { entry, size } of files) note(`note: saved ${entry} (${size ?? 'unknown'} bytes)`);
    for (const warning of warnings) note(`warning: ${warning}`);
  }
}

async function showResult(
  read: Playbook,
  result: PlaybookResult,
  steps: readonly Step[],
  traces: readonly Trace[],
  cli: SubcommandContext,
): Promise<void> {
  const { host, options, screen, format } = cli;
  const simulated = options.simulate || steps.some(({ results }) => results.some((each) => each.simulated));
  if (isForPrograms(format)) {
    const { outputs } = result;
    const whole = {
      playbook: read.name,
      tasks: steps.map((step, at) => stepJson(step, traces[at])),
      outputs,
      ...(simulated ? { simulated } : {}),
    };
    screen.result(jsonText(format === 'context' ? outputs : whole, screen.terminal));
    if (format === 'context' && simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  } else if (result.failed === undefined && !result.planned && read.outputs.length > 0) {
    const secrets = await secretPaths(read, host.registry);
    const isSaved = steps.some(({ results }) => results.some(({ issued }) => issued !== undefined));
    const readable = outputsReadable(result, { secrets, isSaved, simulated });
    screen.result(`\n${await renderReadable(readable, await pageFor(readable, cli))}`);
  }
  if (result.planned && !options.quiet) {
    screen.note('note: the dry run ends here, because the next tasks depend on this one.');
  }
}

/** Loaded on use, because few playbooks receive a one-time secret. */
const files = () => import('../../result/private-result.ts');

const NO_ROOM = {
  secret: 'A secret that this playbook receives once',
  hint: 'Nothing was sent. Choose a directory with --files-dir DIR.',
};

/** Checks before the first request that secrets can be saved. @throws ConfigurationError if they cannot */
export async function requirePlaybookRoom(playbook: Playbook, cli: SubcommandContext): Promise<void> {
  if (cli.options.dryRun) return;
  const commands = await commandsOf(playbook, cli.host.registry);
  if (commands.some(issuesSecret)) await (await files()).requireRoom(cli, NO_ROOM);
}

/**
 * Saves the one-time secret of a task in a separate file, whatever the output, because a later task may fail, or
 * replace the record in the context.
 */
export async function keepTaskSecret({ issued }: Result, cli: SubcommandContext): Promise<void> {
  if (issued === undefined) return;
  const { saveIssued, noteIssued } = await files();
  noteIssued(issued, await saveIssued(issued, cli), cli.screen);
}
