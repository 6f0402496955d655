/** Rejects updates from a policy that was not read in full, because the service replaces the whole profile. */
import { readMember } from '../../lib/runtime/api/find.ts';
import { type JsonObject, objectOf, objectsOf } from '../../lib/runtime/engine/declare.ts';

const PROFILE = 'security profile';
const EMPTY = 'policy=`{"ai-security-profiles":[],"dlp-data-profiles":[]}`';

/** Returns the policy of a profile that was read. @throws ResponseError if it lacks the list of models */
export function readPolicy(profile: JsonObject): JsonObject {
  const hint = `Try again, or give the policy in the same command; for none, ${EMPTY}.`;
  const policy = objectOf(readMember(profile, 'policy', PROFILE, hint));
  requireKey(policy, 'ai-security-profiles', hint);
  return policy;
}

/** Returns the policy of a profile to which a topic is added. @throws ResponseError if it lacks a list around the topics */
export function readGuardedPolicy(profile: JsonObject): JsonObject {
  const hint = `Try again; if the profile has no policy, first set one: aisec-runtime-profiles-update ${EMPTY}.`;
  const policy = objectOf(readMember(profile, 'policy', PROFILE, hint));
  requireKey(policy, 'ai-security-profiles', hint);
  for (const model of objectsOf(policy['ai-security-profiles'])) {
    requireKey(model, 'model-configuration', hint);
    requireKey(objectOf(model['model-configuration']), 'model-protection', hint);
  }
  return policy;
}

/** The service sends null for an empty list, so only an absent member counts as not read. */
function requireKey(holder: JsonObject, name: string, hint: string): void {
  if (holder[name] !== null) readMember(holder, name, PROFILE, hint);
}
