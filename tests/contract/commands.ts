import { bulkScan, dlp } from './dlp.ts';
import { modelSecurity } from './model-security.ts';
import { redTeam } from './red-team.ts';
import { runtime } from './runtime.ts';
import type { ContractCommand } from './types.ts';

/** The commands that the manifest holds today: neither one less nor one more. */
export const due: readonly ContractCommand[] = [...runtime, ...dlp, ...modelSecurity];

/** Transcribed, and not in the manifest yet. */
export const later: readonly ContractCommand[] = [bulkScan, ...redTeam];
