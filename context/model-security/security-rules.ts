import { record, string, unknown } from '../../lib/output/record.ts';

const rule = {
  uuid: string('Identifier of the rule.'),
  name: string('Name of the rule.'),
  rule_type: string('What it looks at: ARTIFACT or METADATA.'),
  default_state: string('State in a new group: DISABLED, ALLOWING or BLOCKING.'),
  compatible_sources: unknown('Sources that it applies to.', { tokens: 'source' }),
  description: string('What the rule looks for.'),
};

export const SecurityRule = record('AiSec.ModelSecurityRule', 'Security Rules', 'uuid', rule);

export const SecurityRuleGet = record('AiSec.ModelSecurityRuleGet', 'Security Rule', 'uuid', {
  ...rule,
  remediation_description: string('How to put right what it finds.', { from: 'remediation.description' }),
  remediation_steps: unknown('The same step by step.', { from: 'remediation.steps' }),
  remediation_url: string('Where to read more.', { from: 'remediation.url' }),
  editable_fields: unknown('Fields that a rule instance may set.', {
    rows: ['attribute_name', 'display_name', 'display_type', 'description'],
  }),
  constant_values: unknown('Values that cannot be changed.'),
  default_values: unknown('Values that hold unless an instance sets others.'),
});
