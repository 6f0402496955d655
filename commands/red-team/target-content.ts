/** Converts a target from a response to a request, so that a replacement keeps omitted members. */
import type { JsonObject } from '../../lib/runtime/engine/declare.ts';
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

/** Converts a target to a request. */
export function asRequest(target: JsonObject): JsonObject {
  return { ...target, adapter_variable_overrides: sentVariables(target['adapter_variable_overrides']) };
}

/** Reports whether a target contains masked secrets. */
export function isMaskedContent({ connection_params, auth_config }: JsonObject): boolean {
  return /"\*{3,}"/.test(JSON.stringify([connection_params, auth_config]));
}

/** Removes the connection from a response, because some responses contain unmasked secrets. */
export function withoutConnection(answer: JsonObject): JsonObject {
  const { connection_params, auth_config, adapter_variable_overrides, ...rest } = answer;
  return rest;
}
