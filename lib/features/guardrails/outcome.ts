/** Summarizes a plan, and what applying it did. */
import { type AisecError, CancelledError, ConflictError, PartialError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import type { Applied, State, Step } from './apply.ts';
import type { Change, Verb } from './tenant.ts';

export type Counts = Readonly<Record<Verb, number>>;

export function changeCounts(changes: readonly Pick<Change, 'verb'>[]): Counts {
  const counts = { create: 0, update: 0, delete: 0, unchanged: 0, unlisted: 0, skipped: 0 };
  for (const { verb } of changes) counts[verb] += 1;
  return counts;
}

/** Returns the error if applying a plan did not make all changes, or not as stated. */
export function applicationError({ steps, failure }: Applied): AisecError | undefined {
  if (failure === undefined) return notKeptError(steps);
  const done = steps.filter(({ state }) => state === 'done').length;
  // Nothing was changed, so the error says everything.
  if (steps.every(({ state }) => state === 'failed' || state === 'not made')) return failure;
  const count = `${done} of ${steps.length} changes ${done === 1 ? 'was' : 'were'} made`;
  const hint = 'Apply the file again to continue: finished changes stay.';
  const rows = steps.map((step) => ({ change: labelOf(step.change), state: stateText(step) }));
  if (failure instanceof CancelledError) return new CancelledError(`${count}.`, { hint, rows });
  const { change, state } = steps.find((step) => step.state !== 'done' && step.state !== 'not made') ?? {};
  const what =
    change === undefined ? '' : ` ${FAILED[state ?? 'failed'] ?? 'The next one failed'}, ${labelOf(change)}:`;
  const { command, requestId, status } = failure;
  // The command's hint names an argument that does not exist in a file.
  const isInUse = change?.verb === 'delete' && failure instanceof ConflictError;
  const hints = [isInUse ? 'Remove it from the resources that use it.' : failure.hint, hint].filter(
    (each) => each !== undefined,
  );
  return new PartialError(`${count}.${what} ${failure.message}${detailsOf(failure)}`, {
    hint: hints.join(' '),
    rows,
    command,
    requestId,
    status,
  });
}

/** Returns the error for a plan that skips entries of the file, because they cannot be applied to the tenant. */
export function skippedError(changes: readonly Change[]): AisecError | undefined {
  const skipped = changes.filter(({ verb }) => verb === 'skipped');
  if (skipped.length === 0) return undefined;
  const [what, was] = skipped.length === 1 ? ['entry', 'was'] : ['entries', 'were'];
  return new PartialError(`${skipped.length} ${what} of the file ${was} skipped.`, {
    hint: 'Do what the notes say and apply the file again, or take them out of the file.',
    rows: skipped.map(({ kind, name, reason = '' }) => ({ skipped: `${kind} ${name}`, reason })),
  });
}

const FAILED: Partial<Record<State, string>> = {
  unchecked: 'The next one is not confirmed',
  'partly made': 'The next one deleted the newest revision only, and an older one is active now',
};

function stateText({ state, notKept }: Step): string {
  if (notKept.length === 0) return state;
  return `${state}, but not kept: ${notKept.map(({ path }) => path.join('.')).join(', ')}`;
}

/** Writes the rows of an error as text, because the steps replace the rows. */
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
  const held = steps.filter(({ state }) => state === 'not made').length;
  const made = held === 0 ? 'All changes were made' : `${steps.length - held} of ${steps.length} changes were made`;
  const deleted = held === 0 ? '' : ' Nothing was deleted.';
  return new PartialError(`${made}, but the service did not keep all that the file states.${deleted}`, {
    hint: 'Check the names and values of these members, and compare again with --dry-run.',
    rows,
  });
}

/** Names a change, such as `update profile prod`. */
export function labelOf({ verb, kind, name }: Change): string {
  return `${verb} ${kind} ${name}`;
}
