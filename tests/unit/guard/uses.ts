/**
 * Uses of the guard that must not compile, and their valid forms. `npm run types` checks this file against the sources,
 * and `tests/system/built/guard-types.long.test.ts` against the package's declarations. It is never run.
 */
import { createGuard, type Decision, type Guard, type GuardOptions, type Scanner } from '../../../bin/guard.ts';
import { guardMiddleware, guardTools, toolApproval } from '../../../bin/guard-ai-sdk.ts';

declare const scanner: Scanner;
declare const guard: Guard;
declare const decision: Decision;

const profile = 'prod';

export const right: readonly GuardOptions[] = [
  { profile },
  { profile: ({ app_user }) => app_user ?? profile },
  { profile, onError: 'allow', timeoutMs: 500, parallelInput: true, message: ({ kind }) => kind, cache: false },
  { profile, mask: { input: true }, stream: 'all', cache: { entries: 1, ttlMs: 1, revision: '2' } },
  { profile, stream: { first: 1, max: 2, overlap: 0 }, onDecision: ({ unscanned }) => void unscanned },
];

export const wrong: readonly GuardOptions[] = [
  // @ts-expect-error A guard without a profile.
  {},
  // @ts-expect-error A misspelt option.
  { profile, onErorr: 'block' },
  // @ts-expect-error A misspelt value.
  { profile, onError: 'alow' },
  // @ts-expect-error One switch for both directions.
  { profile, mask: true },
  // @ts-expect-error A misspelt mode.
  { profile, stream: 'al' },
  // @ts-expect-error A cache that is only switched on.
  { profile, cache: true },
  // @ts-expect-error A time limit as a string.
  { profile, timeoutMs: '2s' },
  // @ts-expect-error A profile that is selected later.
  { profile: async () => 'prod' },
  // @ts-expect-error A message that is not a function.
  { profile, message: 'Blocked.' },
];

export async function calls(): Promise<void> {
  createGuard(scanner, { profile });
  await guard.input([{ role: 'user', content: 'x' }], { session_id: 's', signal: AbortSignal.abort() });
  await guard.tool({ server: 's', tool: 't', input: { any: 1 } });
  guard.stream({}, { input: guard.input('x') });
  guardMiddleware(guard, { context: () => ({ app_user: 'u' }) });
  guardTools(guard, { send: { execute: (input: string) => input } }).send.execute('x');
  toolApproval(guard, { context: () => ({ app_user: 'u' }) });

  // @ts-expect-error A scanner without a call.
  createGuard({}, { profile });
  // @ts-expect-error A guard without options.
  createGuard(scanner);
  // @ts-expect-error A misspelt member of the context.
  await guard.input('x', { sesion_id: 's' });
  // @ts-expect-error A scan argument's name, which is different here.
  await guard.output('x', { context: 'grounding' });
  // @ts-expect-error A response that is a list.
  await guard.output(['x']);
  // @ts-expect-error Only a message.
  await guard.input({ role: 'user', content: 'x' });
  // @ts-expect-error A call without a server.
  await guard.tool({ tool: 't', input: 'x' });
  // @ts-expect-error A result under the name of another interface.
  await guard.tool({ server: 's', tool: 't', result: 'x' });
  // @ts-expect-error A decision that does not exist.
  if (decision.action === 'pass') return;
  // @ts-expect-error A cause that does not exist.
  if (decision.unscanned === 'error') return;
  // @ts-expect-error A decision cannot be changed.
  decision.action = 'allow';
  // @ts-expect-error A decision about the prompt that is already there.
  guard.stream({}, { input: decision });
  // @ts-expect-error A version of the SDK's interface that does not exist.
  guardMiddleware(guard, { specification: 'v5' });
  // @ts-expect-error A context that is not selected by the call.
  guardTools(guard, {}, { context: { app_user: 'u' } });
}
