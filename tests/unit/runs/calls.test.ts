/** The record of one command in the audit: a line at its start and a line at its end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../../commands/index.ts';
import type { WatchedCall } from '../../../lib/client/types.ts';
import { ConfigurationError, NotAllowedError, PartialError } from '../../../lib/core/errors.ts';
import { findCommand } from '../../../lib/engine/command.ts';
import { type Audit, openAudit } from '../../../lib/runs/audit/audit.ts';
import { recordedCalls } from '../../../lib/runs/audit/calls.ts';
import type { RunOwner } from '../../../lib/runs/port.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testClock } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const [LIST, CREATE] = ['aisec-runtime-topics-list', 'aisec-runtime-topics-create'] as const;

describe('The record of one command', () => {
  const OWNER: RunOwner = { tenant: '', caller: 'ci@2026', limits: {} };
  const origin = { request: 'r', caller: 'ci', role: 'operate', remote: '::1', since: 0, audited: true };
  const silent: Audit = {
    isKept: false,
    write: async () => undefined,
    begin: async () => undefined,
    check: async () => undefined,
    close: async () => undefined,
  };
  let call: WatchedCall;
  let list: WatchedCall;
  beforeAll(async () => {
    const named = async (name: string) => ({ name, command: await findCommand(registry, name) });
    call = { ...(await named(CREATE)), args: {}, dryRun: false, resumes: false };
    list = { ...call, ...(await named(LIST)) };
  });

  scenario('audit-complete', 'a change is refused before it starts if its line cannot be written', async () => {
    const audit = { ...silent, isKept: true, begin: async () => Promise.reject(new ConfigurationError('full')) };
    const watch = recordedCalls({ audit, clock: testClock() })(OWNER);
    const began: string[] = [];
    const run = async () => {
      began.push(CREATE);
      return { failure: undefined };
    };
    await expect(watch(call, run)).rejects.toThrow('full');
    expect(began).toEqual([]);
  });

  scenario(
    'audit-complete',
    'a worker without an audit file refuses a change for a service with an audit file',
    async () => {
      const watch = recordedCalls({ audit: silent, clock: testClock() })({ ...OWNER, origin });
      const run = async () => ({ failure: undefined });
      await expect(watch(call, run)).rejects.toMatchObject({
        code: 'configuration',
        message: 'The worker keeps no audit file, so it changes nothing for a service that keeps one.',
        hint: 'Start it with: aisec worker --audit FILE',
      });
      await expect(watch({ ...call, dryRun: true }, run)).resolves.toEqual({ failure: undefined });
      await expect(watch(list, run)).resolves.toEqual({ failure: undefined });
    },
  );

  scenario('audit-complete', 'the slices of a job are one command', async () => {
    const path = join(temporaryFolder('audit'), 'slices.jsonl');
    const audit = await openAudit(path, { registry, warn: () => undefined });
    const clock = testClock();
    const watchOf = recordedCalls({ audit, clock });
    const owner = { ...OWNER, origin: { ...origin, since: clock.now() } };
    await watchOf(owner)(call, async () => ({ suspension: {} }));
    clock.advance(60_000);
    await watchOf(owner)({ ...call, resumes: true }, async () => ({ suspension: {} }));
    await watchOf(owner)({ ...call, resumes: true }, async () => ({}));
    await audit.close();
    expect(linesOf(path)).toMatchObject([
      { event: 'start', call: 'r.1', request: 'r' },
      { event: 'end', call: 'r.1', request: 'r', outcome: 'done', ms: 60_000 },
    ]);
  });

  it('has caller, command, address and duration', async () => {
    const path = join(temporaryFolder('audit'), 'calls.jsonl');
    const audit = await openAudit(path, { registry, warn: () => undefined });
    const clock = testClock();
    const watch = recordedCalls({ audit, clock })({ ...OWNER, tenant: 'eu', origin });
    const limited = { ...list, args: { limit: '1' } };
    await watch(limited, async () => {
      clock.advance(250);
      return {};
    });
    await watch({ ...limited, dryRun: true }, async () => ({ failure: new PartialError('Some are missing.') }));
    await audit.close();
    const who = { caller: 'ci', role: 'operate', tenant: 'eu', remote: '::1' };
    const started = { event: 'start', request: 'r', ...who, command: LIST, arguments: { limit: '1' } };
    const ended = { event: 'end', request: 'r', caller: 'ci', command: LIST };
    const [first, second] = ['2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.250Z'];
    expect(linesOf(path)).toEqual([
      { ...started, call: 'r.1', time: first },
      { ...ended, call: 'r.1', time: second, outcome: 'done', ms: 250 },
      { ...started, call: 'r.2', time: second, dryRun: true },
      { ...ended, call: 'r.2', time: second, outcome: 'partial: partial', ms: 0 },
    ]);
  });

  it('without a request has only the name of the token, and separate ids', async () => {
    const path = join(temporaryFolder('audit'), 'calls.jsonl');
    const audit = await openAudit(path, { registry, warn: () => undefined });
    await recordedCalls({ audit, clock: testClock() })(OWNER)(call, async () => ({}));
    await audit.close();
    const [begun, ended] = linesOf(path);
    expect(begun).toMatchObject({ caller: 'ci', call: `${String(begun?.['request'])}.1` });
    expect(begun?.['request']).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(begun ?? {})).not.toContain('tenant');
    expect(ended).toMatchObject({ caller: 'ci', request: begun?.['request'], outcome: 'done' });
  });

  it('ends with a refusal if rights were taken away', async () => {
    const path = join(temporaryFolder('audit'), 'calls.jsonl');
    const audit = await openAudit(path, { registry, warn: () => undefined });
    const checked: unknown[] = [];
    const checkNow = async (owner: RunOwner, command: string) => {
      checked.push([owner, command]);
      throw new NotAllowedError('No longer.');
    };
    const began: string[] = [];
    const run = async () => {
      began.push(CREATE);
      return {};
    };
    const watch = recordedCalls({ audit, clock: testClock(), checkNow })(OWNER);
    await expect(watch(call, run)).rejects.toThrow('No longer.');
    await audit.close();
    expect([began, checked]).toEqual([[], [[OWNER, CREATE]]]);
    expect(linesOf(path).map(({ event, outcome }) => [event, outcome])).toEqual([
      ['start', undefined],
      ['end', 'not-allowed'],
    ]);
  });
});

function linesOf(path: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
