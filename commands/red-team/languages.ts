import { Languages } from '../../context/red-team/languages.ts';
import { command, flag, one, path, redTeamData, redTeamManagement } from '../../lib/runtime/engine/declare.ts';

const languages = path`/v1/languages`;

export const list = command('aisec-redteam-languages-list', 'List the languages that scans may use.', {
  effect: 'read',
  args: { use_management: flag('Query the management plane instead of the data plane.', { default: 'false' }) },
  output: one(Languages),
  run: async ({ use_management }, { api }) => {
    const answer = await api.fetch((use_management ? redTeamManagement : redTeamData).get(languages));
    return { ...answer, plane: use_management ? 'management' : 'data' };
  },
});
