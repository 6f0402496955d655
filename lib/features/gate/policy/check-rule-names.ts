/** Checks the names of model rules, which only the tenant knows. */
import { didYouMean } from '../../../arguments/suggest.ts';
import { ServiceError, ValidationError } from '../../../core/errors.ts';
import { problemIn } from '../../../documents/places.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import { runCommand } from '../../commands.ts';
import type { Finding } from '../finding.ts';
import type { PolicyFile } from './policy.ts';

/** Far above the number of rules that the service has. */
const MAX_RULES = 5000;

/**
 * Looks up the rules that a policy names, unless the violations already name them.
 * @throws ValidationError for a rule that is not there: its level would have no effect
 * @throws ServiceError if the rules cannot all be read
 */
export async function checkRuleNames(
  { policy, source }: PolicyFile,
  violations: readonly Pick<Finding, 'title'>[],
  run: RunCommand,
): Promise<void> {
  const violated = new Set(violations.map(({ title }) => title));
  const open = Object.keys(policy.model?.rules ?? {}).filter((name) => !violated.has(name));
  if (open.length === 0) return;
  const { records, incomplete } = await runCommand(run, 'aisec-model-security-rules-list', { limit: MAX_RULES });
  const names = records.flatMap(({ name }) => name ?? []);
  const unknown = open.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  if (names.length === 0 || incomplete === true) {
    throw new ServiceError(`The rules that the policy names cannot be checked: ${unknown.join(', ')}.`, {
      hint: 'This is not a pass: compare the names with !aisec-model-security-rules-list.',
    });
  }
  throw new ValidationError(
    unknown.map((name) => {
      const message = `model.rules.${name} is no rule of the service.`;
      const list = 'Rules: !aisec-model-security-rules-list.';
      const near = didYouMean(name, names);
      return {
        ...problemIn(source, ['model', 'rules', name], message),
        hint: near === undefined ? list : `${near} ${list}`,
      };
    }),
  );
}
