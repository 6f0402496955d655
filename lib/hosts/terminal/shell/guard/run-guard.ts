/** Runs `aisec guard`. */
import { clientOf } from '../../../../client/client.ts';
import { UsageError } from '../../../../core/errors.ts';
import { remembering } from '../../../../guard/cause-words.ts';
import type { Guard } from '../../../../guard/guard.ts';
import { isForPrograms } from '../../line/options.ts';
import { END_OF_INPUT } from '../../line/standard-input.ts';
import { jsonText } from '../../ui/json.ts';
import { startOptions } from '../shared/serving.ts';
import type { GuardCommand } from './flags.ts';
import { cutError, outcomeJson, passesText, Tally } from './outcome.ts';
import { arrivals, decideWhole, passStream, readToEnd } from './passage.ts';
import { contextOf, guardOf, type Subject, subjectOf } from './request.ts';

const ADVICE = {
  settings: 'Run aisec init, set it in the environment or the settings file, or rehearse with --simulate.',
  time: 'Give a scan more time with --timeout.',
  commands: 'See all with: aisec commands',
};

/**
 * Passes standard input on as it is cleared. @returns 0 if all of it passed; otherwise the exit code of the reported
 * error
 */
export async function runGuard(cli: GuardCommand): Promise<number> {
  const { host, options, screen, signal } = cli;
  const subject = subjectOf(options);
  const client = clientOf<object>(
    { registry: host.registry, simulated: host.simulated, catalogue: () => [], advice: ADVICE, stopping: signal },
    // The time limit applies to each scan; the guard sets it.
    startOptions({ ...options, profile: options.section, timeoutSeconds: undefined }, host),
  );
  const scanner = remembering(client);
  const tally = new Tally();
  try {
    const guard = guardOf(scanner, subject, cli, (decision) => {
      const { unscanned } = decision;
      if (tally.add(decision) && unscanned !== undefined && !isJson(cli)) screen.note(passesText(unscanned));
    });
    await pass(guard, subject, cli);
    // After a signal, or when the reader has left, print nothing.
    return signal.aborted ? 0 : await end(tally, scanner.failure, cli);
  } finally {
    await client.close();
  }
}

async function pass(guard: Guard, subject: Subject, cli: GuardCommand): Promise<void> {
  const { screen, host, signal } = cli;
  const context = contextOf(cli);
  const arriving = arrivals(sourceOf(cli), signal, subject.kind === 'output' ? subject.pauseMs : 0);
  const write = async (text: string) => {
    if (signal.aborted) return;
    host.stdout.write(text);
    await screen.ready();
  };
  if (subject.kind === 'output') return passStream(arriving, { guard, context, windows: subject.windows, write });
  const text = await readToEnd(arriving);
  if (signal.aborted) return undefined;
  const decision = await decideWhole(text, guard, subject, context);
  return decision.action === 'block' ? undefined : write(decision.text ?? text);
}

function sourceOf({ input, options, screen }: GuardCommand) {
  const taken = input.take();
  if ('refusal' in taken) throw new UsageError(`aisec guard reads standard input, and ${taken.refusal.reason}.`);
  if (taken.stream.isTTY === true && !options.quiet) screen.note(`note: type the text; ${END_OF_INPUT} ends it.`);
  return taken.stream;
}

async function end(tally: Tally, failure: unknown, cli: GuardCommand): Promise<number> {
  const { options, screen, report } = cli;
  const { decision } = tally;
  const error = decision?.action === 'block' ? cutError(decision, failure) : undefined;
  if (isJson(cli)) {
    screen.report(jsonText(outcomeJson(tally, error, options.simulate)));
    return error?.exitCode ?? 0;
  }
  if (options.simulate && !options.quiet) screen.note('note: answered by the simulated service, not by a tenant.');
  return error === undefined ? 0 : report(error);
}

/** Reports whether a program reads stderr. Standard output is only the text, whatever the format. */
function isJson({ options: { format } }: GuardCommand): boolean {
  return format !== undefined && isForPrograms(format);
}
