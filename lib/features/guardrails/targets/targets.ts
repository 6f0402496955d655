/** Reads the red-team targets of a tenant in the form of a file. */
import { NotFoundError, ResponseError } from '../../../core/errors.ts';
import { type JsonObject, objectOf } from '../../../core/json.ts';
import type { SecretSource } from '../../../core/ports.ts';
import { textOf } from '../../../core/received.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import { reconcile } from '../../../runtime/topics/reconcile.ts';
import { type ArgumentsOf, runCommand } from '../../scans/commands.ts';
import { inOrder } from '../portable.ts';
import { type Change, type Members, outdated, type TenantRecord } from '../tenant.ts';
import { withNamedSecrets, withoutNeeded, withoutTargetSecrets } from './secrets.ts';

/** A target, with the values that it needs in addition to the members of a file. */
export interface TargetRecord extends TenantRecord {
  readonly needs: readonly string[];
  /** The connection as the service sends it, with masked secrets. */
  readonly connection: JsonObject;
}

export interface TargetTenant {
  readonly records: readonly TargetRecord[];
  readonly simulated: boolean;
}

/** Settings that no command can set: such a target must be created by hand. */
export const BY_HAND: readonly string[] = ['auth_config', 'network_channel', 'adapter'];

/** More than any tenant has. */
const MOST = 100_000_000;

/** @throws ResponseError if the list is incomplete */
export async function readTargets(run: RunCommand): Promise<TargetTenant> {
  const { records, gap, incomplete, simulated } = await runCommand(run, 'aisec-redteam-targets-list', { limit: MOST });
  if (gap !== undefined || incomplete === true) {
    throw new ResponseError(`The list of targets is incomplete. ${gap ?? ''}`.trim(), {
      hint: 'The complete list is needed: try again later.',
    });
  }
  const found: TargetRecord[] = [];
  for (const { uuid } of records) {
    const record = await readTarget(uuid ?? '', run);
    if (record !== undefined) found.push(record);
  }
  return { records: found, simulated };
}

/** Reads one target. @returns undefined if it does not exist */
export async function readTarget(uuid: string, run: RunCommand): Promise<TargetRecord | undefined> {
  try {
    const { record, raw } = await runCommand(run, 'aisec-redteam-targets-get', { uuid });
    const name = textOf(record.name);
    if (textOf(record.uuid) === undefined || name === undefined) {
      throw new ResponseError('The service sent a target without its id or its name.', {
        hint: 'It cannot be compared or changed: try again later.',
      });
    }
    // The connection is only in the raw response.
    return targetRecord(name, { ...objectOf(raw), ...record });
  } catch (thrown) {
    if (thrown instanceof NotFoundError) return undefined;
    throw thrown;
  }
}

function targetRecord(name: string, target: JsonObject): TargetRecord {
  const { uuid, description, target_type, connection_type, api_endpoint_type, response_mode } = target;
  const { session_supported, connection_params, target_background, additional_context } = target;
  const connection = withoutTargetSecrets(connection_params ?? undefined, 'connection_params');
  const members: Members = {
    ...{ description, target_type, connection_type, api_endpoint_type, response_mode, session_supported },
    ...{ connection_params: connection.value, target_background, additional_context },
  };
  const byHand = [
    ...(isThere(target['auth_type']) || isThere(target['auth_config']) ? ['auth_config'] : []),
    ...(isThere(target['network_broker_channel_uuid']) ? ['network_channel'] : []),
    ...(isThere(target['adapter_uuid']) ? ['adapter'] : []),
  ];
  return {
    ...{ kind: 'target', id: String(uuid), name, revision: 0, older: [] },
    members: objectOf(inOrder(members, '')),
    needs: [...byHand, ...connection.needs],
    connection: objectOf(connection_params),
  };
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

export interface TargetWork {
  readonly run: RunCommand;
  /** Reads the secrets that the file names. */
  readonly secret: SecretSource;
}

/** @throws ConflictError if the target has changed since the plan */
export async function checkTarget({ name, record }: Change, run: RunCommand): Promise<TargetRecord | undefined> {
  if (record === undefined) return undefined;
  const current = await readTarget(record.id, run);
  const isSame = current?.name === name && JSON.stringify(current.members) === JSON.stringify(record.members);
  if (current !== undefined && isSame) return current;
  throw outdated(record);
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

/** Merges the stated connection into the current one, whose masked secrets the service keeps. */
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

/** Reads the target again, and compares it with the values that were sent; secrets cannot be compared. */
export async function readTargetBack({ name, after = {} }: Change, id: string, run: RunCommand) {
  const kept = await readTarget(id, run);
  if (kept === undefined) return [{ path: ['name'], before: undefined, after: name }];
  const connection = withoutNeeded(after['connection_params'], 'connection_params', new Set(kept.needs)).value;
  const sent = { name, ...after, connection_params: connection };
  return reconcile(sent, { name: kept.name, ...kept.members }).changes;
}
