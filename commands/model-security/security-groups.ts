import {
  SecurityGroup,
  SecurityGroupAdd,
  SecurityGroupDeleted,
  SecurityGroupGet,
  SecurityGroupUpdate,
} from '../../context/model-security/security-groups.ts';
import { oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  command,
  limit,
  many,
  modelManagement,
  one,
  path,
  skip,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { SECURITY_GROUPS } from '../lookups.ts';

/** Limits of the service, in characters; source: `docs/wire.md`. */
const NAME = { maxLength: 255 };
const DESCRIPTION = { schema: { maxLength: 1000 } };
const id = uuid('Identifier of the security group.', { lookup: SECURITY_GROUPS, required: true, positional: true });

export const list = command('aisec-model-security-groups-list', 'List the security groups.', {
  effect: 'read',
  args: { limit: limit(50), skip: skip({ extension: true }) },
  output: many(SecurityGroup),
  call: ({ limit, skip }) =>
    modelManagement.list(path`/v1/security-groups`, { items: 'security_groups', limit, offset: skip }),
});

export const get = command(
  'aisec-model-security-groups-get',
  'Get a security group; a deleted group can still be read.',
  {
    effect: 'read',
    args: { uuid: id },
    output: one(SecurityGroupGet),
    call: ({ uuid }) => modelManagement.get(path`/v1/security-groups/${uuid}`),
  },
);

export const create = command(
  'aisec-model-security-groups-create',
  'Create a security group; it gets an instance of every rule for its source, and is PENDING at first.',
  {
    effect: 'create',
    args: {
      name: text('Name of the security group.', { required: true, positional: true, schema: NAME }),
      source_type: text('Source of the models that are scanned with it; it cannot be changed.', {
        required: true,
        hints: ['MODEL_HUB', 'LOCAL', 'STORE_A', 'STORE_B', 'STORE_C'],
        tokens: 'source',
      }),
      description: text('Description of the security group.', DESCRIPTION),
    },
    output: one(SecurityGroupAdd),
    example: 'name="Public models" source_type=MODEL_HUB',
    call: (args) => modelManagement.post(path`/v1/security-groups`, args),
  },
);

export const update = command(
  'aisec-model-security-groups-update',
  'Change the name or the description of a security group; omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      uuid: id,
      name: text('New name of the security group.', { schema: NAME }),
      description: text('New description of the security group.', DESCRIPTION),
    },
    rules: [oneOf('name', 'description')],
    output: one(SecurityGroupUpdate),
    example: 'uuid=<uuid> description="Models that may be used in production."',
    call: ({ uuid, ...args }) => modelManagement.put(path`/v1/security-groups/${uuid}`, args),
  },
);

export const remove = command(
  'aisec-model-security-groups-delete',
  'Delete a security group: it disappears from lists, but can still be read by its UUID.',
  {
    effect: 'delete',
    args: { uuid: id },
    output: one(SecurityGroupDeleted),
    hints: {
      409: 'A group that is still PENDING cannot be deleted: wait until aisec-model-security-groups-get shows ACTIVE, then delete it.',
    },
    call: ({ uuid }) => modelManagement.delete(path`/v1/security-groups/${uuid}`),
  },
);
