import { record, string, unknown } from '../../lib/runtime/output/record.ts';

const rule = {
  uuid: string('Identifier of the rule.'),
  name: string('Name of the rule.'),
  rule_type: string('Subject of the rule: ARTIFACT or METADATA.'),
  default_state: string('State in a new group: DISABLED, ALLOWING or BLOCKING.'),
  compatible_sources: unknown('Sources that it applies to.', { tokens: 'source' }),
  description: string('Description of the rule.'),
};

export const SecurityRule = record('AiSec.ModelSecurityRule', 'Security Rules', 'uuid', rule, {
  firstColumns: ['uuid', 'name', 'rule_type', 'default_state', 'description'],
});

export const SecurityRuleGet = record('AiSec.ModelSecurityRuleGet', 'Security Rule', 'uuid', {
  ...rule,
  remediation_description: string('How to fix its findings.', { from: 'remediation.description' }),
  remediation_steps: unknown('Steps of the remediation.', { from: 'remediation.steps' }),
  remediation_url: string('Links to more information.', { from: 'remediation.url' }),
  editable_fields: unknown('Fields that a rule instance may set.', {
    rows: ['attribute_name', 'display_name', 'display_type', 'description'],
  }),
  constant_values: unknown('Values that cannot be changed.'),
  default_values: unknown('Default values.'),
});
