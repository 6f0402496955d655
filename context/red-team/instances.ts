import { objectsOf } from '../../lib/core/json.ts';
import { boolean, record, string, unknown } from '../../lib/runtime/output/record.ts';
import { succeeded } from '../deletion.ts';

const tenant_id = string('Identifier of the tenant.', { from: 'tenant_id', argument: 'tenant_id' });
const tsg_id = string('Tenant services group of the instance.');
const app_id = string('Application of the instance.');

const changed = { tenant_id, tsg_id, app_id, is_success: boolean('Whether the operation succeeded.') };

export const InstanceCreate = record('AiSec.RedTeamInstanceCreate', 'Tenant Instance Created', 'tenant_id', changed);

export const InstanceGet = record('AiSec.RedTeamInstanceGet', 'Tenant Instance', 'tenant_id', {
  tenant_id,
  tsg_id,
  app_id,
  region: string('Region of the instance.'),
  tenant_instance_name: string('Name of the instance.'),
  support_account_id: string('Identifier of the support account.'),
  support_account_name: string('Name of the support account.'),
  created_by: string('Who created the instance.'),
  internal: boolean('Whether the instance is internal.'),
  deployment_profiles: unknown('Deployment profiles of the instance, with their authorization codes.', {
    secret: true,
    show: profileNames,
  }),
});

/** Reduces profiles to their names, because they contain authorization codes. */
function profileNames(profiles: unknown): unknown {
  return Array.isArray(profiles) ? objectsOf(profiles).map(({ dp_name, name }) => dp_name ?? name) : '';
}

export const InstanceUpdate = record('AiSec.RedTeamInstanceUpdate', 'Tenant Instance Updated', 'tenant_id', changed);

export const InstanceDelete = record('AiSec.RedTeamInstanceDelete', 'Tenant Instance Deleted', 'tenant_id', {
  ...changed,
  is_success: succeeded,
});
