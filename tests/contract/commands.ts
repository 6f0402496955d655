import { bulkScan, dlp } from './dlp.ts';
import { modelSecurity } from './model-security.ts';
import { redTeam } from './red-team.ts';
import { runtime } from './runtime.ts';
import type { ContractCommand } from './types.ts';

/** Exactly the commands of the manifest. */
export const due: readonly ContractCommand[] = [...runtime, bulkScan, ...dlp, ...redTeam, ...modelSecurity];
