import { bulkScan, dlp } from './dlp.ts';
import { modelSecurity } from './model-security.ts';
import { redTeam } from './red-team.ts';
import { runtime } from './runtime.ts';
import type { ContractCommand } from './types.ts';

/** The commands that the manifest holds: neither one less nor one more. */
export const due: readonly ContractCommand[] = [...runtime, bulkScan, ...dlp, ...redTeam, ...modelSecurity];
