/** The guards of a service: each scan has the time limit of who asks for it. */
import { Guards, STRICT } from '../../../../lib/hosts/http/guarding/guards.ts';
import { ALLOWED } from '../../../support/answers.ts';

const DEFAULT_MS = 2000;

test.each([500, DEFAULT_MS, 30_000])('a scan may take the %d ms that its caller asks for', async (timeoutMs) => {
  const guards = new Guards({ policy: STRICT, onDecision: () => undefined });
  let answer = (): void => undefined;
  const limits: unknown[] = [];
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const client = {
    call: async (_name: string, _args?: object, options?: { timeoutMs?: number | undefined } | null) => {
      limits.push(options?.timeoutMs);
      await new Promise<void>((resolve) => {
        answer = resolve;
        begin();
      });
      return { raw: ALLOWED } as never;
    },
  };
  jest.useFakeTimers();
  try {
    const asking = { tenant: '', profile: 'prod', client, request: 'r', timeoutMs };
    const decided = guards.for(asking, STRICT, (guard) => guard.input('hello'));
    await begun;
    await jest.advanceTimersByTimeAsync(timeoutMs - 1);
    answer();
    expect(await decided).toMatchObject({ action: 'allow' });
    expect(limits).toEqual([timeoutMs]);
  } finally {
    jest.useRealTimers();
  }
});
