/** Sums up a plan and what became of it. */
import { type AisecError, CancelledError, ConflictError, PartialError } from '../errors.ts';
import { asText } from '../json.ts';
import type { Applied, Step } from './apply.ts';
import type { Change, Verb } from './plan.ts';

/** Numbers of changes by verb. */
export type Counts = Readonly<Record<Verb, number>>;

export function countsOf(changes: readonly Pick<Change, 'verb'>[]): Counts {
  const counts = { create: 0, update: 0, delete: 0, unchanged: 0, unlisted: 0 };
  for (const { verb } of changes) counts[verb] += 1;
  return counts;
}

/** Returns the error of an application that did not make all changes, or not as they were stated. */
export function errorOf({ steps, failure }: Applied): AisecError | undefined {
  const done = steps.filter(({ state }) => state === 'done').length;
  const isUnknown = steps.some(({ state }) => state === 'unknown');
  if (failure === undefined) return notKeptError(steps);
  // Nothing was changed: the error is the whole story.
  if (done === 0 && !isUnknown) return failure;
  const count = `${done} of ${steps.length} changes ${done === 1 ? 'was' : 'were'} made`;
  const hint = 'Apply the file again to go on: what was made stays as it is.';
  const rows = steps.map(({ change, state }) => ({ change: labelOf(change), state }));
  if (failure instanceof CancelledError) return new CancelledError(`${count}.`, { hint, rows });
  const { change } = steps.find(({ state }) => state === 'failed' || state === 'unknown') ?? {};
  const what = change === undefined ? '' : ` The next one failed, ${labelOf(change)}:`;
  const { command, requestId, status } = failure;
  // The hint of the command names an argument that a file does not have.
  const isInUse = change?.verb === 'delete' && failure instanceof ConflictError;
  const hints = [isInUse ? 'Remove it from what uses it.' : failure.hint, hint].filter((each) => each !== undefined);
  return new PartialError(`${count}.${what} ${failure.message}${detailsOf(failure)}`, {
    hint: hints.join(' '),
    rows,
    command,
    requestId,
    status,
  });
}

/** Writes the rows of an error as text, because the steps take their place. */
function detailsOf({ rows }: AisecError): string {
  const texts = rows.map((row) =>
    Object.entries(row)
      .map(([name, value]) => `${name} ${asText(value)}`)
      .join(', '),
  );
  return texts.length === 0 ? '' : ` (${texts.join('; ')})`;
}

function notKeptError(steps: readonly Step[]): AisecError | undefined {
  const rows = steps.flatMap(({ change, notKept }) =>
    notKept.map(({ path }) => ({ change: labelOf(change), member: path.join('.') })),
  );
  if (rows.length === 0) return undefined;
  return new PartialError('All changes were made, but the service did not keep all that the file states.', {
    hint: 'Check the names and values of these members.',
    rows,
  });
}

/** Names a change, such as `update profile prod`. */
export function labelOf({ verb, kind, name }: Change): string {
  return `${verb} ${kind} ${name}`;
}
