import { RegistryCredentials } from '../../context/red-team/registry-credentials.ts';
import { command, one, path, redTeamManagement } from '../../lib/runtime/engine/declare.ts';
import { AGREEMENT } from './agreement.ts';

export const get = command(
  'aisec-redteam-registry-credentials-get',
  'Get the credentials for pulling container images of the scanner; the service creates them if there are none.',
  {
    effect: 'create',
    // A repeated request returns the existing credentials.
    repeatable: true,
    args: {},
    output: one(RegistryCredentials),
    hints: AGREEMENT,
    call: () => redTeamManagement.post(path`/v1/registry-credentials`),
  },
);
