import { RuleInstanceGet, RuleInstances, RuleInstanceUpdate } from '../../context/model-security/rule-instances.ts';
import { oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  cell,
  command,
  type JsonObject,
  json,
  limit,
  modelManagement,
  objectOf,
  offset,
  one,
  paged,
  path,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { RULE_INSTANCES, SECURITY_GROUPS, SECURITY_RULES } from '../lookups.ts';

const STATES = ['DISABLED', 'ALLOWING', 'BLOCKING'] as const;

const ids = {
  security_group_uuid: uuid('Identifier of the security group.', {
    lookup: SECURITY_GROUPS,
    required: true,
    positional: true,
  }),
  rule_instance_uuid: uuid('Identifier of the rule instance.', { lookup: RULE_INSTANCES, required: true }),
};

const pathOf = (group: string, instance: string) => path`/v1/security-groups/${group}/rule-instances/${instance}`;

export const list = command(
  'aisec-model-security-rule-instances-list',
  'List the rule instances of a security group.',
  {
    effect: 'read',
    args: {
      security_group_uuid: ids.security_group_uuid,
      limit: limit(50),
      offset: offset(),
      security_rule_uuid: uuid('Return only instances of this rule.', { lookup: SECURITY_RULES }),
      state: text('Return only instances in this state.', { choices: STATES }),
    },
    output: paged(RuleInstances, 'rule_instances'),
    call: ({ security_group_uuid, security_rule_uuid, state, ...window }) =>
      modelManagement.list(path`/v1/security-groups/${security_group_uuid}/rule-instances`, {
        items: 'rule_instances',
        ...window,
        query: { security_rule_uuid, state },
      }),
  },
);

export const get = command('aisec-model-security-rule-instances-get', 'Get a rule instance of a security group.', {
  effect: 'read',
  args: ids,
  output: one(RuleInstanceGet),
  call: ({ security_group_uuid, rule_instance_uuid }) =>
    modelManagement.get(pathOf(security_group_uuid, rule_instance_uuid)),
});

export const update = command(
  'aisec-model-security-rule-instances-update',
  'Set the state of a rule instance, or values of its fields; other fields keep their values.',
  {
    effect: 'update',
    args: {
      ...ids,
      state: text('State of the rule in this group: its effect if the rule fails.', { choices: STATES }),
      field_values: json<JsonObject>()(
        'Values by field, such as {"approved_formats": ["safetensors"]}; an empty list clears a field.',
        { type: 'object', minProperties: 1 },
      ),
    },
    rules: [oneOf('state', 'field_values')],
    output: one(RuleInstanceUpdate),
    example: 'security_group_uuid=<security_group_uuid> rule_instance_uuid=<rule_instance_uuid> state=BLOCKING',
    run: async ({ security_group_uuid, rule_instance_uuid, state, field_values }, { api, show }) => {
      const target = pathOf(security_group_uuid, rule_instance_uuid);
      const change = (values?: JsonObject) =>
        api.fetch(modelManagement.put(target, { security_group_uuid, state, field_values: values }));
      if (field_values === undefined) return change();
      // The service may drop omitted fields, so all of them are sent.
      const before = objectOf((await api.fetch(modelManagement.get(target)))['field_values']);
      const after = { ...before, ...field_values };
      const rows = Object.keys(after).map((name) => [name, cell(before[name]), cell(after[name])]);
      show({ title: 'Field Values', columns: ['Field', 'Before', 'After'], rows });
      return change(after);
    },
  },
);
