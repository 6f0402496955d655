import { DeploymentProfile } from '../../context/runtime/deployment-profiles.ts';
import { command, flag, limit, management, many, offset, path } from '../../lib/runtime/engine/declare.ts';

export const list = command('aisec-runtime-deployment-profiles-list', 'List the deployment profiles.', {
  effect: 'read',
  args: {
    limit: limit(50),
    offset: offset({ extension: true }),
    unactivated: flag('List only deployment profiles that are not activated.', { default: 'false' }),
  },
  output: many(DeploymentProfile),
  call: ({ unactivated, ...args }) =>
    management.list(path`/v1/mgmt/deploymentprofiles`, {
      items: 'deployment_profiles',
      ...args,
      paging: 'whole',
      query: { unactivated: unactivated || undefined },
    }),
});
