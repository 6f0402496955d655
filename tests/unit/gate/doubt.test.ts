/** When the violations of a model scan, or the attacks of a red-team scan, may be missing. */

import type { JsonObject } from '../../../lib/core/json.ts';
import type { CommandOutput } from '../../../lib/engine/run-command.ts';
import { incompleteViolations } from '../../../lib/features/gate/model.ts';
import { undecidedScan } from '../../../lib/features/gate/red-team.ts';
import type { TestedList } from '../../../lib/features/report/tested.ts';

const LIST = 'The list of violations is not complete: ';

function doubtOf(violations: readonly JsonObject[], more: Partial<CommandOutput> = {}, failed = 0) {
  return incompleteViolations(
    { rules_failed: failed },
    { record: { violations }, records: [], simulated: false, ...more },
  );
}

describe('the violations of a model scan', () => {
  const a = { uuid: 'a', rule_instance_uuid: 'r1', rule_name: 'One' };
  const b = { uuid: 'b', rule_instance_uuid: 'r2', rule_name: 'One' };

  test.each([
    { what: 'two rules of the same name', rows: [a, b], failed: 2 },
    { what: 'two rules without an id', rows: [{ rule_name: 'One' }, { rule_name: 'Two' }], failed: 2 },
    { what: 'more violations than rules', rows: [a, { ...a, uuid: 'c' }], failed: 1 },
    {
      what: 'violations without an id',
      rows: [{ ...a, uuid: null }, { ...b, uuid: null }, { rule_name: 'x' }],
      failed: 2,
    },
    { what: 'several violations without any uuid', rows: [{ rule_name: 'x' }, { rule_name: 'x' }], failed: 1 },
  ])('are complete with $what', ({ rows, failed }) => {
    expect(doubtOf(rows, {}, failed)).toBeUndefined();
  });

  test.each([
    { what: 'are cut', rows: [a], more: { incomplete: true }, says: `${LIST}It is cut after 1 violation.` },
    { what: 'have a gap', rows: [a], more: { gap: 'A page is missing.' }, says: `${LIST}A page is missing.` },
    { what: 'have one twice', rows: [a, b, a], more: {}, says: `${LIST}The service lists one violation twice.` },
    {
      what: 'name too few rules',
      rows: [a],
      more: {},
      says: `${LIST}2 rules failed, and the list of violations names 1.`,
    },
  ])('are in doubt if they $what', ({ rows, more, says }) => {
    expect(doubtOf(rows, more, 2)).toBe(says);
  });
});

describe('the attacks of a red-team scan', () => {
  const job = { uuid: 'j', status: 'COMPLETED', job_type: 'STATIC' };
  const list = (gap?: string) => ({ tested: [], noun: 'attack' as const, gap, contradiction: () => undefined });

  test('give no verdict without attacks', () => {
    expect(undecidedScan(job, list(), 'The red-team scan')).toBe(
      'The red-team scan has no attacks: nothing was tested.',
    );
  });

  test.each([
    [['unanswered', 'withstood'], '1 of 2 attacks has no outcome.'],
    [['unanswered', 'unanswered'], '2 of 2 attacks have no outcome.'],
  ])('give no verdict without outcomes: %j', (outcomes, says) => {
    const tested = outcomes.map((outcome) => ({ outcome })) as unknown as TestedList['tested'];
    expect(undecidedScan(job, { ...list(), tested }, 'The red-team scan')).toBe(
      `The red-team scan has no complete result: ${says}`,
    );
  });

  test('that ran in part say so', () => {
    expect(undecidedScan({ ...job, completed: 3, total: 4 }, list('It is empty.'), 'The baseline')).toBe(
      'The baseline is COMPLETED, but not whole. It ran 3 of 4 attacks. The list of attacks of the baseline is not complete: It is empty.',
    );
  });

  test('that could not be read are not reported as missing', () => {
    expect(undecidedScan(job, list('It is empty.'), 'The red-team scan')).toBe(
      'The list of attacks of the red-team scan is not complete: It is empty.',
    );
  });
});
