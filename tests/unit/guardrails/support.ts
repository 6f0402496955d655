/** Plans and applications on the simulated service. */
import { registry } from '../../../commands/index.ts';
import type { ServiceOptions } from '../../../fixtures/service/types.ts';
import type { SecretSource } from '../../../lib/core/ports.ts';
import type { RunCommand } from '../../../lib/engine/run-command.ts';
import { applyPlan, type Step } from '../../../lib/features/guardrails/apply.ts';
import { readMoved } from '../../../lib/features/guardrails/moved-tenant.ts';
import { type Plan, type PlanOptions, planOf } from '../../../lib/features/guardrails/plan.ts';
import { readGuardrails } from '../../../lib/features/guardrails/read-guardrails.ts';
import { readTenant } from '../../../lib/features/guardrails/tenant.ts';
import { commandRunner } from '../../../lib/hosts/terminal/modes/command-runner.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';

export const KEPT: PlanOptions = { prune: false };
export const PRUNED: PlanOptions = { prune: true };

export interface Tenancy {
  readonly room: WarRoom;
  readonly run: RunCommand;
  /** Commands that changed something, with their main argument. */
  readonly writes: string[];
}

/** Opens a simulated tenant, and remembers the commands that change it. */
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

/** What a plan is applied with: the keywords are files of the room. */
export const means = ({ run, room }: Pick<Tenancy, 'run' | 'room'>) => ({
  run,
  keepText: async (name: string, text: string) => {
    room.files[name] = text;
    return name;
  },
  secret: SECRETS,
});

/** Means of a plan without dictionaries. */
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

/** Writes changes in short: `update profile prod`. */
export function changes({ changes: all }: Pick<Plan, 'changes'>): string[] {
  return all.filter(({ verb }) => verb !== 'unlisted').map(({ kind, name, verb }) => `${verb} ${kind} ${name}`);
}

/** A policy with these detectors of the model. */
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
