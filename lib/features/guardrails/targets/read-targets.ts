/** Reads the red-team targets of a tenant in the form of a file. */
import { NotFoundError, ResponseError } from '../../../core/errors.ts';
import { type JsonObject, objectOf } from '../../../core/json.ts';
import { textOf } from '../../../core/received.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import { runCommand } from '../../commands.ts';
import { ordered } from '../portable.ts';
import type { Members, TenantRecord } from '../tenant.ts';
import { withoutSecrets } from './secrets.ts';

/** A target, with what it needs besides the members of a file. */
export interface TargetRecord extends TenantRecord {
  readonly needs: readonly string[];
  /** The connection as the service sends it, with masked secrets. */
  readonly connection: JsonObject;
}

export interface TargetTenant {
  readonly records: readonly TargetRecord[];
  readonly simulated: boolean;
}

/** Settings without a command: such a target is created by hand. */
export const BY_HAND: readonly string[] = ['auth_config', 'network_channel', 'adapter'];

/** No tenant has as many. */
const MOST = 100_000_000;

/** @throws ResponseError if the list is incomplete */
export async function readTargets(run: RunCommand): Promise<TargetTenant> {
  const { records, gap, incomplete, simulated } = await runCommand(run, 'aisec-redteam-targets-list', { limit: MOST });
  if (gap !== undefined || incomplete === true) {
    throw new ResponseError(`The list of targets is incomplete. ${gap ?? ''}`.trim(), {
      hint: 'All of them are needed: try again later.',
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
        hint: 'It can neither be compared nor be changed: try again later.',
      });
    }
    // Only the response has the connection.
    return targetRecord(name, { ...objectOf(raw), ...record });
  } catch (thrown) {
    if (thrown instanceof NotFoundError) return undefined;
    throw thrown;
  }
}

function targetRecord(name: string, target: JsonObject): TargetRecord {
  const { uuid, description, target_type, connection_type, api_endpoint_type, response_mode } = target;
  const { session_supported, connection_params, target_background, additional_context } = target;
  const connection = withoutSecrets(connection_params ?? undefined, 'connection_params');
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
    members: objectOf(ordered(members, '')),
    needs: [...byHand, ...connection.needs],
    connection: objectOf(connection_params),
  };
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
