import { SecurityRule, SecurityRuleGet } from '../../context/model-security/security-rules.ts';
import { command, limit, many, modelManagement, one, path, skip, uuid } from '../../lib/runtime/engine/declare.ts';
import { SECURITY_RULES } from '../lookups.ts';

export const list = command('aisec-model-security-rules-list', 'List the security rules.', {
  effect: 'read',
  args: { limit: limit(50), skip: skip({ extension: true }) },
  output: many(SecurityRule),
  call: ({ limit, skip }) => modelManagement.list(path`/v1/security-rules`, { items: 'rules', limit, offset: skip }),
});

export const get = command('aisec-model-security-rules-get', 'Get a security rule with its remediation.', {
  effect: 'read',
  args: { uuid: uuid('Identifier of the rule.', { lookup: SECURITY_RULES, required: true, positional: true }) },
  output: one(SecurityRuleGet),
  call: ({ uuid }) => modelManagement.get(path`/v1/security-rules/${uuid}`),
});
