import type { Clock, HttpRequest } from '../../../lib/core/ports.ts';
import { type SimulatedResponse, simulatedTransport } from '../../../lib/runtime/transport/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const REQUEST: HttpRequest = { method: 'GET', url: 'https://a.test/x?y=1', headers: { k: 'v' }, timeoutMs: 1000 };

/** A transport to a service that always returns this answer, and the time that passed on its clock. */
function make(answer: Partial<SimulatedResponse>) {
  let passed = 0;
  const seen: unknown[] = [];
  const clock: Clock = {
    now: () => 1_000_000 + passed,
    elapsed: () => passed,
    wait: async (milliseconds) => {
      passed += milliseconds;
    },
    random: () => 0,
  };
  const transport = simulatedTransport((request, { now }) => {
    seen.push({ ...request, at: now() });
    return { status: 200, headers: { 'X-One': '1' }, body: 'body', latencyMs: 0, ...answer };
  }, clock);
  return { transport, seen, passed: () => passed };
}

test('passes request and clock to the service, and returns the response with lower-case headers', async () => {
  const { transport, seen, passed } = make({ status: 404 });
  await expect(transport.send(REQUEST)).resolves.toEqual({ status: 404, headers: { 'x-one': '1' }, body: 'body' });
  const { timeoutMs: _, ...request } = REQUEST;
  expect(seen).toEqual([{ ...request, body: '', at: 1_000_000 }]);
  expect(passed()).toBe(0);
});

test('waits for the latency', async () => {
  const { transport, passed } = make({ latencyMs: 300 });
  await expect(transport.send(REQUEST)).resolves.toMatchObject({ status: 200 });
  expect(passed()).toBe(300);
});

const LOST = 'The connection to a.test was lost before the response arrived.';
const timedOut = (phase: string) => `Timed out after 1 s while ${phase} the response from a.test.`;

scenario.each<{ answer: Partial<SimulatedResponse>; error: string; message: string; passed: number }>([
  { answer: { fault: 'drop', latencyMs: 10 }, error: 'NetworkError', message: LOST, passed: 10 },
  {
    answer: { fault: 'truncate' },
    error: 'NetworkError',
    message: 'The response from a.test is incomplete.',
    passed: 0,
  },
  { answer: { fault: 'stall', latencyMs: 10 }, error: 'TimeoutError', message: timedOut('reading'), passed: 1000 },
  { answer: { fault: 'reset' }, error: 'NetworkError', message: LOST, passed: 0 },
  { answer: { fault: 'hang' }, error: 'TimeoutError', message: timedOut('waiting for'), passed: 1000 },
  { answer: { fault: 'drip', latencyMs: 10 }, error: 'TimeoutError', message: timedOut('reading'), passed: 1000 },
  { answer: { latencyMs: 5000 }, error: 'TimeoutError', message: timedOut('waiting for'), passed: 1000 },
])(
  ['network-reset-mid-body', 'timeout-budget'],
  'a simulated $answer fails like a real fault, on the clock of the service',
  async ({ answer, error, message, passed: expected }) => {
    const { transport, passed } = make(answer);
    await expect(transport.send(REQUEST)).rejects.toMatchObject({ name: error, message, retryable: true });
    expect(passed()).toBe(expected);
  },
);

test.each(['oversize', 'inflate'] as const)(
  'a simulated body that is too large (%s) is refused like a real body',
  async (fault) => {
    await expect(make({ fault }).transport.send(REQUEST)).rejects.toMatchObject({
      name: 'ResponseError',
      message: 'The response from a.test is larger than the limit of 100 MB.',
    });
  },
);
