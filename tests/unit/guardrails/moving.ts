/** Moves guardrails from one simulated tenant to another. */
import type { PartName } from '../../../lib/features/guardrails/export.ts';
import { exportTenant, PARTS } from '../../../lib/features/guardrails/export.ts';
import { type Tenancy, tenancy } from './support.ts';

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
