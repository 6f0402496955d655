/** `aisec playbook`: rehearses a playbook of the platform, task by task. */
import { UsageError } from '../../../errors.ts';
import { nodeFiles } from '../../../node/files.ts';
import { secretPaths } from '../../../playbook/commands.ts';
import { inputsOf } from '../../../playbook/inputs.ts';
import { type Playbook, titleOf } from '../../../playbook/playbook.ts';
import { readPlaybook } from '../../../playbook/read.ts';
import { readDocument } from '../../../playbook/reader.ts';
import { type Ending, type PlaybookHost, runPlaybook, type Step } from '../../../playbook/run.ts';
import type { Result } from '../../../result.ts';
import { readAll } from '../../../text/read-all.ts';
import { clean } from '../clean.ts';
import { jsonText } from '../json.ts';
import { measureFor } from '../measure.ts';
import { isForPrograms } from '../options.ts';
import { outputsReadable, stepJson, stepLines } from '../playbook-view.ts';
import { openSession, type Session } from '../session.ts';
import type { Invoked } from '../subcommand.ts';
import { renderReadable } from '../table.ts';

const USAGE = 'playbook FILE [--input NAME=VALUE ...]';

/** @returns 0 when the playbook came to an end; otherwise the exit code of the task that failed */
export async function playbook(invoked: Invoked): Promise<number> {
  const { host, options, screen, format, report } = invoked;
  const read = await readFile(invoked);
  const inputs = inputsOf(read, givenInputs(options.inputs), {});
  const session = await openSession(host, options, screen);
  try {
    const steps: Step[] = [];
    const shows = !isForPrograms(format);
    const line = stepLines(read, screen.style);
    if (shows) screen.result(screen.style.bold(clean(read.name)));
    const ending = await runPlaybook(read, inputs, {
      ...hostOn(session, invoked),
      told: (step) => {
        steps.push(step);
        if (shows) screen.result(line(step));
        if (!options.quiet) noteResults(step.results, screen.note);
      },
    });
    await showEnding(read, ending, steps, invoked);
    const { failed } = ending;
    return failed === undefined ? 0 : await report(failed.error, titleOf(failed.task));
  } finally {
    await session.close();
  }
}

async function readFile({ host, options, words: [path = ''] }: Invoked): Promise<Playbook> {
  if (path === '') throw new UsageError('aisec playbook needs a file.', { hint: `Usage: aisec ${USAGE}` });
  const files = nodeFiles(options.filesDirectory ?? '.');
  const file = await files.find(path);
  return readPlaybook(await readDocument(await readAll(files, file), file.name), host.registry);
}

function givenInputs(texts: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const text of texts) {
    const end = text.indexOf('=');
    const name = text.slice(0, Math.max(0, end)).trim();
    if (name === '')
      throw new UsageError('Option --input needs NAME=VALUE.', { hint: 'Such as --input profile_name=prod.' });
    if (given.has(name)) throw new UsageError(`The input ${name.slice(0, 60)} is given more than once.`);
    given.set(name, text.slice(end + 1));
  }
  return given;
}

function hostOn(session: Session, { host: { registry }, signal }: Invoked): Omit<PlaybookHost, 'told'> {
  return {
    registry,
    context: session.context,
    run: async (invocation) => {
      const [{ dispatch }, runtime] = await Promise.all([import('../../../dispatch.ts'), session.runtime(signal)]);
      // What a context holds is neither a reference nor the name of a file or a variable with a secret.
      const { context: _context, secretSource: _source, ...plain } = runtime;
      const result = await dispatch(invocation, registry, plain);
      await session.keep(result.writes);
      return result;
    },
  };
}

function noteResults(results: readonly Result[], note: (text: string) => void): void {
  for (const { files, warnings } of results) {
    for (const { entry, size } of files) note(`note: saved ${entry} (${size ?? 'unknown'} bytes)`);
    for (const warning of warnings) note(`warning: ${warning}`);
  }
}

async function showEnding(read: Playbook, ending: Ending, steps: readonly Step[], invoked: Invoked): Promise<void> {
  const { host, options, screen, format, signal } = invoked;
  const simulated = options.simulate || steps.some(({ results }) => results.some((result) => result.simulated));
  if (isForPrograms(format)) {
    const { outputs } = ending;
    const whole = { playbook: read.name, tasks: steps.map(stepJson), outputs, ...(simulated ? { simulated } : {}) };
    screen.result(jsonText(format === 'context' ? outputs : whole, screen.terminal));
    if (format === 'context' && simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  } else if (ending.failed === undefined && !ending.planned && read.outputs.length > 0) {
    const readable = outputsReadable(ending, await secretPaths(read, host.registry), simulated);
    const page = { width: screen.width, style: screen.style, signal, measure: await measureFor(readable) };
    screen.result(`\n${await renderReadable(readable, page)}`);
  }
  if (ending.planned && !options.quiet) {
    screen.note('note: a dry run ends here, as the tasks after it need what this one would have done.');
  }
}
