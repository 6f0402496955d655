/** Plans on records of a tenant, without a simulated service. */

import type { JsonObject } from '../../../lib/core/json.ts';
import type { CommandOutput, RunCommand } from '../../../lib/engine/run-command.ts';
import { type PlanOptions, planOf } from '../../../lib/features/guardrails/plan.ts';
import { readTenant } from '../../../lib/features/guardrails/tenant.ts';
import { guardrails, KEPT, TOPIC } from './support.ts';

export const topic = (topic_name: string, more: JsonObject = {}) => ({
  topic_id: `id of ${topic_name}`,
  topic_name,
  revision: 2,
  description: TOPIC.description,
  examples: TOPIC.examples,
  ...more,
});

export const profile = (name: string, more: JsonObject = {}) => ({
  id: `id of ${name}`,
  name,
  revision: 3,
  active: true,
  policy: { 'ai-security-profiles': [], 'dlp-data-profiles': [] },
  ...more,
});

/** A reference as the service has it. */
export const pinned = (name: string, revision = 2) => ({ topic_id: `id of ${name}`, topic_name: name, revision });

export interface Records {
  readonly topics?: readonly JsonObject[];
  readonly profiles?: readonly JsonObject[];
  /** Members of the output of both commands. */
  readonly output?: Partial<CommandOutput>;
  /** Members of the output of the list of profiles. */
  readonly profilesOutput?: Partial<CommandOutput>;
}

/** Answers the two list commands. */
export const listing =
  ({ topics = [], profiles = [], output = {}, profilesOutput = {} }: Records): RunCommand =>
  async (name) => {
    const isTopics = name === 'aisec-runtime-topics-list';
    const records = isTopics ? topics : profiles;
    // The records of profiles have no policy: it is in the response alone.
    return {
      record: {},
      records: records.map(({ policy: _, ...record }) => record),
      raw: records,
      simulated: false,
      ...output,
      ...(isTopics ? {} : profilesOutput),
    };
  };

export const planned = async (content: object | string, records: Records, options: PlanOptions = KEPT) =>
  planOf(await guardrails(content), await readTenant(listing(records)), options);
