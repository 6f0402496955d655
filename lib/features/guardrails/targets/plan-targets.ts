/** Plans the changes of red-team targets. Nothing here sends a request, and nothing is ever deleted. */
import { objectOf } from '../../../core/json.ts';
import { reconcile } from '../../../runtime/topics/reconcile.ts';
import type { Guardrails } from '../schema.ts';
import { type Change, named } from '../tenant.ts';
import { sourcesIn, withoutNeeded, withoutTargetSecrets } from './secrets.ts';
import { BY_HAND, type TargetRecord, type TargetTenant } from './targets.ts';

type Entry = NonNullable<Guardrails['targets']>[number];

/** Members that can only be set when a target is created. */
const FIXED = ['api_endpoint_type', 'response_mode', 'session_supported'];

/** Plans the changes: a target that lacks a secret, or that no command can make, is skipped with a note. */
export function planTargets(targets: readonly Entry[], { records }: TargetTenant) {
  const changes: Change[] = [];
  const notes: string[] = [];
  const skip = (name: string, reason: string, advice: string) => {
    changes.push({ kind: 'target', name, verb: 'skipped', members: [], reason });
    notes.push(`target ${name} is skipped: ${reason}. ${advice}`);
  };
  for (const entry of targets) {
    const { name, needs = [], ...stated } = entry;
    const record = named(records, name);
    const connection = withoutNeeded(stated.connection_params, 'connection_params', new Set(needs));
    const compared = { ...stated, connection_params: comparableConnection(connection.value, record) };
    const { value, changes: members } = reconcile(compared, record?.members);
    const change = { kind: 'target', name, members, stated, after: objectOf(value) } as const;
    const missing = needs.filter((need) => !connection.needs.includes(need));
    const fixed = record === undefined ? [] : FIXED.filter((name) => members.some(({ path }) => path[0] === name));
    if (fixed.length > 0) skip(name, `no command can change its ${fixed.join(', ')}`, ADVICE.fixed);
    else if (record !== undefined)
      changes.push({ ...change, verb: members.length > 0 ? 'update' : 'unchanged', record });
    else if (missing.length === 0) changes.push({ ...change, verb: 'create' });
    else skip(name, `it needs ${missing.join(', ')}`, adviceOn(missing));
  }
  return { changes, notes: [...notes, ...changes.flatMap(sourceNotes)] };
}

/** Reports what leaves this machine, because someone else may have written the file. */
function sourceNotes({ name, verb, stated = {} }: Change): string[] {
  if (verb !== 'create' && verb !== 'update') return [];
  const sources = sourcesIn(stated['connection_params'], 'connection_params');
  return sources.map(([path, what]) => `target ${name} sends ${what} as ${path}.`);
}

/** Leaves out values that cannot be compared: secrets, and other values that the service hides. */
function comparableConnection(stated: unknown, record: TargetRecord | undefined): unknown {
  const { value } = withoutTargetSecrets(stated, 'connection_params');
  return withoutNeeded(value, 'connection_params', new Set(record?.needs)).value;
}

const ADVICE = {
  fixed: 'Change it in the console of the service, or take it out of the file.',
  secret: 'State them in the file at these places, as @env:NAME or @file:PATH.',
};

function adviceOn(missing: readonly string[]): string {
  if (!missing.some((need) => BY_HAND.includes(need))) return ADVICE.secret;
  const them = missing.length === 1 ? ['that', 'it'] : ['them', 'them'];
  return `No command can set ${them[0]}: make the target in the console of the service with ${them[1]}, then apply the file again, which brings the other members.`;
}
