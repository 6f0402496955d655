import { record, string, timestamp, unknown } from '../../lib/runtime/output/record.ts';
import { page } from './pages.ts';

/** A custom rule has its own member, but no type. */
const instance = {
  uuid: string('Identifier of the rule instance.'),
  rule_name: string('Name of the rule.', { from: ['rule.name', 'custom_rule.name'] }),
  state: string('Effect of the rule in this group: DISABLED, ALLOWING or BLOCKING.'),
  rule_type: string('Subject of the rule: ARTIFACT or METADATA; null for a custom rule.', {
    from: 'rule.rule_type',
  }),
  field_values: unknown('Values that are set for this group.'),
  rule_description: string('Description of the rule.', { from: ['rule.description', 'custom_rule.description'] }),
  security_rule_uuid: string('Identifier of the rule; null for a custom rule.'),
  security_group_uuid: string('Identifier of the security group.'),
  created_at: timestamp('When it was created.'),
  updated_at: timestamp('When it was last changed.'),
  tsg_id: string('Tenant services group.'),
};

export const RuleInstances = record('AiSec.ModelSecurityRuleInstance', 'Rule Instances', 'security_group_uuid', {
  security_group_uuid: { ...instance.security_group_uuid, argument: 'security_group_uuid' },
  rule_instances: unknown('Rule instances of the group.', {
    items: instance,
    rows: ['uuid', 'rule_name', 'state', 'rule_type', 'field_values'],
  }),
  ...page,
});

export const RuleInstanceGet = record('AiSec.ModelSecurityRuleInstanceGet', 'Rule Instance', 'uuid', instance);

export const RuleInstanceUpdate = record(
  'AiSec.ModelSecurityRuleInstanceUpdate',
  'Rule Instance Updated',
  'uuid',
  instance,
);
