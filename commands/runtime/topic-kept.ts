/** Compares a profile with the change sent, because a 200 does not confirm that the service kept the change. */
import {
  type AisecError,
  asText,
  type JsonObject,
  NotFoundError,
  objectOf,
  PartialError,
  toAisecError,
} from '../../lib/runtime/engine/declare.ts';
import { reconcile } from '../../lib/runtime/topics/reconcile.ts';
import { renameTopics } from '../../lib/runtime/topics/topic-references.ts';

/**
 * Reads the profile after the update.
 * @returns undefined if no profile has the name @throws AisecError that says the change is not confirmed
 */
export async function readAfter(read: () => Promise<JsonObject>): Promise<JsonObject | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof NotFoundError) return undefined;
    throw unconfirmed(toAisecError(thrown));
  }
}

function unconfirmed(error: AisecError): AisecError {
  const hint =
    'The service accepted the update, but it is not confirmed: the profile could not be read again. ' +
    'Check it with !aisec-runtime-profiles-get.';
  error.hint = error.hint === undefined ? hint : `${hint} ${error.hint}`;
  return error;
}

interface Sent extends JsonObject {
  readonly profile_name: string;
  readonly policy: JsonObject;
}

/**
 * Returns the error for an update that was not kept in full. @param kept the profile, read again @param topics the
 * tenant's topics, because the service may rename references
 */
export function lossOf(
  sent: Sent,
  kept: JsonObject | undefined,
  topics: readonly JsonObject[],
): PartialError | undefined {
  const members = kept === undefined ? ['profile_name'] : lostMembers(sent, kept, topics);
  if (members.length === 0) return undefined;
  const { profile_name } = sent;
  const name = /^[\w.-]+$/.test(profile_name) ? ` profile_name=${profile_name}` : '';
  return new PartialError('The service accepted the update, but the security profile lacks some of the change.', {
    hint: `Check the profile with !aisec-runtime-profiles-get${name}, and apply the topic again.`,
    rows: members.map((member) => ({ member })),
  });
}

function lostMembers(sent: Sent, kept: JsonObject, topics: readonly JsonObject[]): string[] {
  const names = topics.map(({ topic_id, topic_name }) => ({ id: asText(topic_id), name: asText(topic_name) }));
  const comparable = (profile: JsonObject) => ({
    ...profile,
    policy: renameTopics(objectOf(profile['policy']), names),
  });
  const { active, ...others } = sent;
  // The service may omit whether a profile is active.
  const stated = (kept['active'] ?? undefined) === undefined ? others : { ...others, active };
  return reconcile(comparable(stated), comparable(kept)).changes.map(({ path }) => path.join('.'));
}
