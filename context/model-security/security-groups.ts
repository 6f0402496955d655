import { boolean, record, string, timestamp } from '../../lib/runtime/output/record.ts';
import { deleted } from '../deletion.ts';

const group = {
  uuid: string('Identifier of the security group.'),
  name: string('Name of the security group.'),
  state: string('PENDING, then ACTIVE.'),
  source_type: string('Source of its models: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C.', { tokens: 'source' }),
  description: string('Purpose of the group.'),
  is_tombstone: boolean('Whether it is marked for deletion.', { heading: 'Deleted' }),
  created_at: timestamp('When it was created.'),
  updated_at: timestamp('When it was last changed.'),
  tsg_id: string('Tenant services group.'),
};

export const SecurityGroup = record(
  'AiSec.ModelSecurityGroup',
  'Security Groups',
  'uuid',
  {
    ...group,
    updated_at: { ...group.updated_at, hidden: true },
    tsg_id: { ...group.tsg_id, hidden: true },
  },
  { firstColumns: ['uuid', 'name', 'state', 'source_type', 'created_at'] },
);

export const SecurityGroupGet = record('AiSec.ModelSecurityGroupGet', 'Security Group', 'uuid', group);

export const SecurityGroupAdd = record('AiSec.ModelSecurityGroupAdd', 'Security Group Created', 'uuid', group);

export const SecurityGroupUpdate = record('AiSec.ModelSecurityGroupUpdate', 'Security Group Updated', 'uuid', group);

export const SecurityGroupDeleted = record('AiSec.ModelSecurityGroupDelete', 'Security Group Deleted', 'uuid', {
  uuid: { ...group.uuid, argument: 'uuid' },
  deleted,
});
