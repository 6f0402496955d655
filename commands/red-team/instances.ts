import { InstanceCreate, InstanceDelete, InstanceGet, InstanceUpdate } from '../../context/red-team/instances.ts';
import { replacing } from '../../lib/runtime/api/body.ts';
import {
  command,
  flag,
  type JsonObject,
  json,
  one,
  path,
  redTeamManagement,
  text,
} from '../../lib/runtime/engine/declare.ts';

/** Path of a tenant instance. */
export const instance = (tenantId: string) => path`/v1/instances/${tenantId}`;

/** Ids of tenant services groups consist of digits, but they stay strings to keep leading zeros. */
export const GROUP = { pattern: '^[0-9]+$', title: 'a string of digits' };

const descriptions = {
  tsg_id: 'Tenant services group of the instance, a string of digits.',
  app_id: 'Identifier of the application.',
  region: 'Region of the instance.',
};
const tenant_id = text('Identifier of the tenant.', { required: true, positional: true });

const details = {
  tenant_instance_name: text('Name of the instance.'),
  support_account_id: text('Identifier of the support account.'),
  support_account_name: text('Name of the support account.'),
  created_by: text('Creator of the instance.'),
  internal: flag('Mark the instance as internal.'),
  iam_controlled: flag('Manage access to the instance centrally.'),
  platform_region: text('Region of the platform.'),
  csp_tenant_id: text('Identifier of the tenant at the customer support portal.'),
  extra: json<JsonObject>()('Further details, as a JSON object.', { type: 'object' }),
};

/** Members of an instance that a request may have; source: `docs/wire.md`. */
const WRITABLE = ['tsg_id', 'tenant_id', 'app_id', 'region', ...Object.keys(details)];

/** Members that the service accepts but never returns, so that they cannot be kept. */
const UNREPORTED = ['iam_controlled', 'platform_region', 'csp_tenant_id', 'extra'] as const;

/** Adds `extra` with the deployment profiles, the only part of `extra` that a read returns; otherwise they would be lost. */
function withProfiles(current: JsonObject): JsonObject {
  const { deployment_profiles } = current;
  const kept = Array.isArray(deployment_profiles) && deployment_profiles.length > 0;
  return kept ? { extra: { deployment_profiles }, ...current } : current;
}

export const create = command('aisec-redteam-instances-create', 'Create a tenant instance.', {
  effect: 'create',
  args: {
    tsg_id: text(descriptions.tsg_id, { required: true, schema: GROUP }),
    tenant_id,
    app_id: text(descriptions.app_id, { required: true }),
    region: text(descriptions.region, { required: true }),
    ...details,
  },
  output: one(InstanceCreate),
  example: 'tsg_id=1000000001 tenant_id=support-lab app_id=ai-red-teaming region=europe',
  call: (args) => redTeamManagement.post(path`/v1/instances`, args),
});

export const get = command('aisec-redteam-instances-get', 'Get a tenant instance.', {
  effect: 'read',
  args: { tenant_id },
  output: one(InstanceGet),
  call: ({ tenant_id }) => redTeamManagement.get(instance(tenant_id)),
});

export const update = command(
  'aisec-redteam-instances-update',
  'Update a tenant instance; omitted fields keep their values if the service returns them.',
  {
    effect: 'update',
    args: {
      tenant_id,
      tsg_id: text(descriptions.tsg_id, { schema: GROUP }),
      app_id: text(descriptions.app_id),
      region: text(descriptions.region),
      ...details,
    },
    output: one(InstanceUpdate),
    example: 'tenant_id=support-lab tenant_instance_name="Support laboratory"',
    run: async (args, { api, note }) => {
      // The service replaces the whole instance, so read it first and send all of it again.
      const current = await api.fetch(redTeamManagement.get(instance(args.tenant_id)));
      const body = replacing(withProfiles(current), WRITABLE, args);
      const unreported = UNREPORTED.filter((name) => args[name] === undefined && current[name] === undefined);
      if (unreported.length > 0)
        note(
          `The service does not return ${unreported.join(', ')}: their values may be lost, except for deployment profiles.`,
        );
      return api.fetch(redTeamManagement.put(instance(args.tenant_id), body));
    },
  },
);

export const remove = command('aisec-redteam-instances-delete', 'Delete a tenant instance permanently.', {
  effect: 'delete',
  args: { tenant_id },
  output: one(InstanceDelete),
  call: ({ tenant_id }) => redTeamManagement.delete(instance(tenant_id)),
});
