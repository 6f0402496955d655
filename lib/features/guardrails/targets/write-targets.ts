/** Makes a change of a red-team target, without connecting to it. */
import { ConflictError, ResponseError } from '../../../core/errors.ts';
import { type JsonObject, objectOf } from '../../../core/json.ts';
import type { SecretSource } from '../../../core/ports.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import { type ArgumentsOf, runCommand } from '../../commands.ts';
import type { Change } from '../change.ts';
import { reconcile } from '../reconcile.ts';
import { readTarget, type TargetRecord } from './read-targets.ts';
import { withNamedSecrets, withoutNeeded } from './secrets.ts';

export interface TargetWork {
  readonly run: RunCommand;
  /** Reads the secrets that the file names. */
  readonly secret: SecretSource;
}

/** @throws ConflictError if the target is not as it was planned */
export async function checkTarget({ name, record }: Change, run: RunCommand): Promise<TargetRecord | undefined> {
  if (record === undefined) return undefined;
  const current = await readTarget(record.id, run);
  const isSame = current?.name === name && JSON.stringify(current.members) === JSON.stringify(record.members);
  if (current !== undefined && isSame) return current;
  throw new ConflictError(`The target ${name} changed after it was compared with the file.`, {
    hint: 'It was not overwritten. Look at the new difference with --dry-run, then apply the file again.',
  });
}

/** Creates or updates a target. @returns its id */
export async function writeTarget(
  change: Change,
  current: TargetRecord | undefined,
  work: TargetWork,
): Promise<string> {
  const { name, after = {}, stated = {} } = change;
  const { connection_params: _, target_background, additional_context, ...described } = after;
  const { run } = work;
  const connection = await connectionOf(stated, current, work);
  const args = given({ name, ...described, connection_params: connection, validate: false });
  const id = current?.id ?? (await create(args, run));
  if (current !== undefined) {
    const { api_endpoint_type, response_mode, session_supported, ...updated } = args;
    await runCommand(run, 'aisec-redteam-targets-update', { uuid: id, ...updated });
  }
  const profile = given({ target_background, additional_context });
  if (Object.keys(profile).length > 0) {
    await runCommand(run, 'aisec-redteam-targets-update-profile', { target_uuid: id, ...profile });
  }
  return id;
}

/** Merges the stated connection into the present one, whose masked secrets the service keeps. */
async function connectionOf(
  { connection_params: stated }: JsonObject,
  current: TargetRecord | undefined,
  { secret }: TargetWork,
) {
  if (stated === undefined) return undefined;
  const resolved = await withNamedSecrets(objectOf(stated), secret);
  return objectOf(reconcile(resolved, current?.connection).value);
}

async function create(args: JsonObject, run: RunCommand): Promise<string> {
  const { record } = await runCommand(
    run,
    'aisec-redteam-targets-create',
    args as ArgumentsOf<'aisec-redteam-targets-create'>,
  );
  if (typeof record.uuid === 'string' && record.uuid !== '') return record.uuid;
  throw new ResponseError('The service created a target without an id.', {
    hint: 'Look at the difference with --dry-run: it may have been made.',
  });
}

function given(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}

/** Reads the target again, and compares it with what was sent; secrets cannot be compared. */
export async function readTargetBack({ name, after = {} }: Change, id: string, run: RunCommand) {
  const kept = await readTarget(id, run);
  if (kept === undefined) return [{ path: ['name'], before: undefined, after: name }];
  const connection = withoutNeeded(after['connection_params'], 'connection_params', new Set(kept.needs)).value;
  const sent = { name, ...after, connection_params: connection };
  return reconcile(sent, { name: kept.name, ...kept.members }).changes;
}
