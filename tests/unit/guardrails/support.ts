/** Plans and applications on the simulated service. */
import { registry } from '../../../commands/index.ts';
import type { ServiceOptions } from '../../../fixtures/service/types.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { SecretSource } from '../../../lib/core/ports.ts';
import { applyPlan, type Step } from '../../../lib/features/guardrails/apply.ts';
import { exportTenant, PARTS, type PartName } from '../../../lib/features/guardrails/export.ts';
import { readMoved } from '../../../lib/features/guardrails/moved-tenant.ts';
import { type Plan, type PlanOptions, planOf } from '../../../lib/features/guardrails/plan.ts';
import { readGuardrails } from '../../../lib/features/guardrails/read-guardrails.ts';
import { readTenant } from '../../../lib/features/guardrails/tenant.ts';
import { commandRunner } from '../../../lib/hosts/terminal/result/command-runner.ts';
import type { CommandOutput, RunCommand } from '../../../lib/runtime/engine/command-port.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';

export const KEPT: PlanOptions = { prune: false };
export const PRUNED: PlanOptions = { prune: true };

export interface Tenancy {
  readonly room: WarRoom;
  readonly run: RunCommand;
  /** Commands that changed something, with their main argument. */
  readonly writes: string[];
}

/** Opens a simulated tenant, and records the commands that change it. */
export function tenancy(options: ServiceOptions = {}): Tenancy {
  const room = warRoom(options);
  const session = { runtime: async () => room.runtime, working: () => () => undefined };
  const inner = commandRunner({ registry }, session, new AbortController().signal, { literal: true });
  const writes: string[] = [];
  const run: RunCommand = (name, args) => {
    if (!/-(?:list|get)$/.test(name)) writes.push(name.replace('aisec-runtime-', ''));
    return inner(name, args);
  };
  return { room, run, writes };
}

/** Reads guardrails from a text or from the data of a file. */
export function guardrails(content: string | object, name = 'g.yml') {
  const text = typeof content === 'string' ? content : JSON.stringify({ version: 1, ...content });
  return readGuardrails(text, name, registry);
}

export async function plan(content: string | object, { run }: Tenancy, options = KEPT): Promise<Plan> {
  const file = await guardrails(content);
  return planOf(file, await readTenant(run), options, await readMoved(file.guardrails, run));
}

/** The environment of the tests. */
const SECRETS: SecretSource = (kind, name) => (kind === 'env' && name === 'KEY' ? 'sim-key-77aa' : undefined);

/** The context for applying a plan: the keywords are files in the room. */
export const means = ({ run, room }: Pick<Tenancy, 'run' | 'room'>) => ({
  run,
  keepText: async (name: string, text: string) => {
    room.files[name] = text;
    return name;
  },
  secret: SECRETS,
});

/** The context for a plan without dictionaries. */
export const alone = (run: RunCommand) => ({
  run,
  keepText: async () => {
    throw new Error('no keywords are kept here');
  },
  secret: SECRETS,
});

/** Plans and applies. */
export async function apply(content: string | object, tenant: Tenancy, options = KEPT) {
  const seen: Step[] = [];
  const applied = await applyPlan(await plan(content, tenant, options), means(tenant), (step) => seen.push(step));
  return { ...applied, seen };
}

/** Abbreviates changes: `update profile prod`. */
export function changes({ changes: all }: Pick<Plan, 'changes'>): string[] {
  return all.filter(({ verb }) => verb !== 'unlisted').map(({ kind, name, verb }) => `${verb} ${kind} ${name}`);
}

/** A policy with these model detectors. */
export const policy = (...detectors: readonly object[]) => ({
  'ai-security-profiles': [{ 'model-type': 'default', 'model-configuration': { 'model-protection': detectors } }],
});

/** A topic guardrail with topics that block. */
export const blocking = (...names: readonly (string | object)[]) => ({
  name: 'topic-guardrails',
  action: 'allow',
  'topic-list': [
    { action: 'block', topic: names.map((name) => (typeof name === 'string' ? { topic_name: name } : name)) },
  ],
});

export const TOPIC = { name: 'Stock tips', description: 'Advice on shares.', examples: ['Buy?', 'Sell now, or wait?'] };

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

/** A reference as the service stores it. */
export const pinned = (name: string, revision = 2) => ({ topic_id: `id of ${name}`, topic_name: name, revision });

export interface Records {
  readonly topics?: readonly JsonObject[];
  readonly profiles?: readonly JsonObject[];
  /** Members in the output of both commands. */
  readonly output?: Partial<CommandOutput>;
  /** Members in the output of the profile list. */
  readonly profilesOutput?: Partial<CommandOutput>;
}

/** Answers the two list commands. */
export const listing =
  ({ topics = [], profiles = [], output = {}, profilesOutput = {} }: Records): RunCommand =>
  async (name) => {
    const isTopics = name === 'aisec-runtime-topics-list';
    const records = isTopics ? topics : profiles;
    // Profile records have no policy: only the response has it.
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

const DELETE = 'force=true updated_by=dana@example.com';

/** Opens a tenant without resources of its own. */
export async function emptyTenancy(): Promise<Tenancy> {
  const tenant = tenancy({ seed: 2 });
  const { room } = tenant;
  for (const { id } of await room.values('!aisec-runtime-profiles-list')) {
    await room.run(`!aisec-runtime-profiles-delete profile_id=${String(id)} ${DELETE}`);
  }
  for (const { topic_id } of await room.values('!aisec-runtime-topics-list')) {
    await room.run(`!aisec-runtime-topics-delete topic_id=${String(topic_id)}`);
  }
  for (const { id, type } of await room.values('!aisec-runtime-dlp-profiles-list')) {
    if (type === 'custom') await room.run(`!aisec-runtime-dlp-profiles-delete profile_id=${String(id)}`);
  }
  for (const [plural, argument] of [
    ['dictionaries', 'dictionary_id'],
    ['patterns', 'pattern_id'],
  ] as const) {
    for (const { id, type, pattern_status } of await room.values(`!aisec-runtime-dlp-${plural}-list`)) {
      if (type !== 'predefined' && pattern_status !== 'deleted')
        await room.run(`!aisec-runtime-dlp-${plural}-delete ${argument}=${String(id)}`);
    }
  }
  for (const { uuid } of await room.values('!aisec-redteam-targets-list')) {
    await room.run(`!aisec-redteam-targets-delete uuid=${String(uuid)}`);
  }
  return tenant;
}

/** Exports a tenant. */
export const exported = ({ run }: Tenancy, parts: readonly PartName[] = PARTS) => exportTenant(run, parts);
