import { promptCommands } from './red-team-prompts.ts';
import { scanCommands } from './red-team-scans.ts';
import { targetCommands } from './red-team-targets.ts';
import { tenantCommands } from './red-team-tenant.ts';
import type { ContractCommand } from './types.ts';

/** Red-team testing, the second document: 84 commands. */
export const redTeam: readonly ContractCommand[] = [
  ...targetCommands,
  ...tenantCommands,
  ...scanCommands,
  ...promptCommands,
];
