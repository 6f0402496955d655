/** What of a target a client may write, read first so that what a request leaves out is not lost. */
import type { JsonObject } from '../../lib/declare.ts';
import { sentVariables } from './adapter-variables.ts';

/** Members of a target that a request may have; source: `docs/wire.md`. */
export const WRITABLE: readonly string[] = [
  'name',
  'description',
  'target_type',
  'connection_type',
  'api_endpoint_type',
  'response_mode',
  'session_supported',
  'auth_type',
  'auth_config',
  'connection_params',
  'network_broker_channel_uuid',
  'adapter_uuid',
  'adapter_variable_overrides',
  'target_metadata',
  'target_background',
  'additional_context',
  'extra_info',
  'canonical_id',
];

/** A target as it was read, in the form in which it may be sent. */
export function asRequest(target: JsonObject): JsonObject {
  return { ...target, adapter_variable_overrides: sentVariables(target['adapter_variable_overrides']) };
}

/** Does it repeat secrets that the service shows as asterisks alone? */
export function isMasked({ connection_params, auth_config }: JsonObject): boolean {
  return /"\*{3,}"/.test(JSON.stringify([connection_params, auth_config]));
}

/** An answer without what it tells of the connection: some answers hold its secrets as they are. */
export function withoutConnection(answer: JsonObject): JsonObject {
  const { connection_params, auth_config, adapter_variable_overrides, ...rest } = answer;
  return rest;
}
