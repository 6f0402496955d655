import { bulkScan, dlp } from './dlp.ts';
import { modelSecurity } from './model-security.ts';
import { redTeam } from './red-team.ts';
import { runtime } from './runtime.ts';
import type { ContractArgument, ContractCommand } from './types.ts';

const LIMIT: ContractArgument = { name: 'limit', kind: 'number' };
const OFFSET: ContractArgument = { name: 'offset', kind: 'number' };
/** Lists that the service sends whole. */
const WHOLE = [
  'aisec-redteam-categories-list',
  'aisec-redteam-prompt-sets-active-list',
  'aisec-redteam-custom-attack-report-prompt-sets',
];

/** Lists page by `limit` and `offset` too, where the specification has other words or none; both are extensions. */
function withPaging(each: ContractCommand): ContractCommand {
  const { command, arguments: own, extensions = [] } = each;
  const names = [...own, ...extensions].map(({ name }) => name);
  const skips = names.includes('skip') && !names.includes('offset') ? [OFFSET] : [];
  const pages = names.includes('page') || WHOLE.includes(command) ? [LIMIT, OFFSET] : [];
  return { ...each, extensions: [...extensions, ...skips, ...pages] };
}

/** Exactly the commands of the manifest. */
export const due: readonly ContractCommand[] = [...runtime, bulkScan, ...dlp, ...redTeam, ...modelSecurity].map(
  withPaging,
);
