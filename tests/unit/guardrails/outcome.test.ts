/** What an application says when it did not make every change, or not as stated. */
import {
  type AisecError,
  CancelledError,
  ConflictError,
  NotFoundError,
  RefusedError,
  ServiceError,
} from '../../../lib/core/errors.ts';
import type { State, Step } from '../../../lib/features/guardrails/apply.ts';
import { countsOf, errorOf, labelOf } from '../../../lib/features/guardrails/outcome.ts';
import type { Verb } from '../../../lib/features/guardrails/tenant.ts';

const GO_ON = 'Apply the file again to continue: finished changes stay.';

const step = (state: State, verb: Verb = 'update', ...notKept: readonly string[]): Step => ({
  change: { kind: 'profile', name: state, verb, members: [] },
  state,
  notKept: notKept.map((member) => ({ path: ['policy', member], before: 1, after: 2 })),
});

test('changes are counted by verb', () => {
  const verbs: readonly Verb[] = [
    'create',
    'update',
    'update',
    'delete',
    'unchanged',
    'unlisted',
    'unlisted',
    'skipped',
  ];
  expect(countsOf(verbs.map((verb) => ({ verb })))).toEqual({
    create: 1,
    update: 2,
    delete: 1,
    unchanged: 1,
    unlisted: 2,
    skipped: 1,
  });
  expect(countsOf([])).toEqual({ create: 0, update: 0, delete: 0, unchanged: 0, unlisted: 0, skipped: 0 });
});

test('a change is named by verb, kind and name', () => {
  expect(labelOf({ kind: 'topic', name: 'a b', verb: 'delete', members: [] })).toBe('delete topic a b');
});

describe('a failed apply', () => {
  test.each<{ title: string; steps: readonly Step[]; failure: AisecError; message: string; hint: string }>([
    {
      title: 'after one change names the next, with what is known of the failure',
      steps: [step('done'), step('failed', 'create'), step('not made')],
      failure: new RefusedError('No.', { hint: 'Ask.', rows: [{ id: 7, of: { a: 1 } }, { id: 8 }] }),
      message: '1 of 3 changes was made. The next one failed, create profile failed: No. (id 7, of {"a":1}; id 8)',
      hint: `Ask. ${GO_ON}`,
    },
    {
      title: 'after two changes counts them',
      steps: [step('done'), step('done'), step('unknown')],
      failure: new ServiceError('Broken.'),
      message: '2 of 3 changes were made. The next one failed, update profile unknown: Broken.',
      hint: GO_ON,
    },
    {
      title: 'by reading a change again does not take it for made',
      steps: [step('unchecked'), step('not made')],
      failure: new ServiceError('Broken.'),
      message: '0 of 2 changes were made. The next one is not confirmed, update profile unchecked: Broken.',
      hint: GO_ON,
    },
    {
      title: 'with an answer that was lost may have been made',
      steps: [step('unknown')],
      failure: new ServiceError('Broken.'),
      message: '0 of 1 changes were made. The next one failed, update profile unknown: Broken.',
      hint: GO_ON,
    },
    {
      title: 'to delete what is in use says what helps with a file',
      steps: [step('done'), step('failed', 'delete')],
      failure: new ConflictError('It is in use.', { hint: 'Repeat with force=true.' }),
      message: '1 of 2 changes was made. The next one failed, delete profile failed: It is in use.',
      hint: `Remove it from the resources that use it. ${GO_ON}`,
    },
    {
      title: 'to delete what is gone keeps the hint',
      steps: [step('done'), step('failed', 'delete')],
      failure: new NotFoundError('It is gone.', { hint: 'List them.' }),
      message: '1 of 2 changes was made. The next one failed, delete profile failed: It is gone.',
      hint: `List them. ${GO_ON}`,
    },
    {
      title: 'to update because of a conflict keeps the hint',
      steps: [step('done'), step('failed')],
      failure: new ConflictError('It changed.', { hint: 'Look again.' }),
      message: '1 of 2 changes was made. The next one failed, update profile failed: It changed.',
      hint: `Look again. ${GO_ON}`,
    },
  ])('$title', ({ steps, failure, message, hint }) => {
    const error = errorOf({ steps, failure });
    expect(error).toMatchObject({ code: 'partial', exitCode: 10, message, hint });
    expect(error?.rows).toEqual(steps.map(({ state, change }) => ({ change: labelOf(change), state })));
  });

  test.each<{ states: readonly State[]; whole: boolean }>([
    { states: ['failed'], whole: true },
    { states: ['failed', 'not made', 'not made'], whole: true },
    { states: ['unknown', 'not made'], whole: false },
    { states: ['unchecked'], whole: false },
    { states: ['partly made'], whole: false },
    { states: ['done', 'failed'], whole: false },
  ])('with the steps $states is the failure itself: $whole', ({ states, whole }) => {
    const failure = new RefusedError('No.');
    expect(errorOf({ steps: states.map((state) => step(state)), failure }) === failure).toBe(whole);
  });

  test('keeps command, request and status of the failure', () => {
    const given = { command: 'aisec-runtime-topics-update', requestId: 'r-1', status: 500 };
    const error = errorOf({ steps: [step('done'), step('failed')], failure: new ServiceError('Broken.', given) });
    expect(error).toMatchObject(given);
  });

  test('by an interrupt keeps the exit code, and lists the steps', () => {
    const error = errorOf({ steps: [step('done'), step('unknown')], failure: new CancelledError('Stopped.') });
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ message: '1 of 2 changes was made.', hint: GO_ON });
    expect(error?.rows.map(({ state }) => state)).toEqual(['done', 'unknown']);
  });

  test('lists the members of earlier changes that the service did not keep', () => {
    const steps = [step('done', 'create', 'a', 'b'), step('failed')];
    const error = errorOf({ steps, failure: new RefusedError('No.') });
    expect(error?.rows[0]).toEqual({ change: 'create profile done', state: 'done, but not kept: policy.a, policy.b' });
  });
});

describe('an apply without a failure', () => {
  test('that kept all changes has no error', () => {
    expect(errorOf({ steps: [] })).toBeUndefined();
    expect(errorOf({ steps: [step('done')] })).toBeUndefined();
  });

  test.each([
    {
      steps: [step('done', 'create', 'a'), step('done')],
      message: 'All changes were made, but the service did not keep all that the file states.',
    },
    {
      steps: [step('done'), step('done', 'create', 'a'), step('not made', 'delete')],
      message: '2 of 3 changes were made, but the service did not keep all that the file states. Nothing was deleted.',
    },
  ])('that lost a member ends with 10: $message', ({ steps, message }) => {
    expect(errorOf({ steps })).toMatchObject({
      code: 'partial',
      exitCode: 10,
      message,
      hint: 'Check the names and values of these members, and compare again with --dry-run.',
      rows: [{ change: 'create profile done', member: 'policy.a' }],
    });
  });
});
