/** Lists of the service: contradictions are refused, never read as unchanged. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import type { Service } from '../../../fixtures/service/types.ts';
import { NotFoundError, ResponseError, ServiceError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { findRecord, named, readTenant } from '../../../lib/features/guardrails/tenant.ts';
import type { RunCommand } from '../../../lib/runtime/engine/command-port.ts';
import { failing } from '../../support/exchange.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../report/support.ts';
import { listing, planned, policy, profile, type Records, topic } from './support.ts';

const read = (records: Records) => readTenant(listing(records));

describe('a list of the tenant is refused', () => {
  test.each<{ title: string; records: Records; message: string }>([
    {
      title: 'with a topic without an id',
      records: { topics: [topic('a', { topic_id: null })] },
      message: 'The service sent the topic a without its id.',
    },
    {
      title: 'with a topic without a name',
      records: { topics: [topic('a', { topic_name: undefined })] },
      message: 'The service sent the topic id of a without its name.',
    },
    {
      title: 'with a topic without a revision',
      records: { topics: [topic('a', { revision: null })] },
      message: 'The service sent the topic a without its revision.',
    },
    {
      title: 'with a topic whose revision ends in a letter',
      records: { topics: [topic('a', { revision: '12x' })] },
      message: 'The service sent the topic a without its revision.',
    },
    {
      title: 'with a topic whose revision has more digits than a number keeps',
      records: { topics: [topic('a', { revision: '9007199254740993' })] },
      message: 'The service sent the topic a without its revision.',
    },
    {
      title: 'with a record that is empty',
      records: { profiles: [{}] },
      message: 'The service sent a security profile without its id and name and revision.',
    },
    {
      title: 'with a revision of a topic twice',
      records: { topics: [topic('a'), topic('b'), topic('a', { description: 'Other.' })] },
      message: 'The service listed revision 2 of the topic a twice.',
    },
    {
      title: 'with a revision of a profile under two names',
      records: { profiles: [profile('p'), profile('q', { id: 'id of p' })] },
      message: 'The service listed revision 3 of the security profile q twice.',
    },
    {
      title: 'that contradicts itself',
      records: { output: { gap: 'The service sent 1 of 3 records.' } },
      message: 'The list of topics is incomplete. The service sent 1 of 3 records.',
    },
    {
      title: 'whose profiles are truncated',
      records: { topics: [topic('a')], profiles: [profile('p')], profilesOutput: { incomplete: true } },
      message: 'The list of security profiles is incomplete. It is cut after 1 record.',
    },
    {
      title: 'with fewer records than the response',
      records: { topics: [topic('a')], output: { records: [] } },
      message: 'The list of topics is incomplete. It has 0 records, and the response 1.',
    },
    {
      title: 'without the response, which has the policies',
      records: { profiles: [profile('p')], output: { raw: undefined } },
      message: 'The list of security profiles is incomplete. It has 1 record, and the response 0.',
    },
  ])('$title', async ({ records, message }) => {
    const error = await failing(read(records));
    expect(error).toBeInstanceOf(ResponseError);
    expect(error.exitCode).toBe(8);
    expect(error.message).toBe(message);
    expect(error.hint).toMatch(/try again later\.|create the first/);
  });

  test('without its policy if the file states the policy, even if everything stated is off', async () => {
    const off = { profiles: [{ name: 'p', policy: policy({ name: 'prompt-injection', action: '' }) }] };
    for (const broken of [undefined, null, {}, { 'dlp-data-profiles': [] }]) {
      const error = await failing(planned(off, { profiles: [profile('p', { policy: broken })] }));
      expect(error).toBeInstanceOf(ResponseError);
      expect(error.message).toBe(
        'The service listed the profile p without its policy, which cannot be compared or sent back.',
      );
      expect(error.hint).toContain('Nothing was changed.');
    }
  });

  test('not without its policy if the file does not mention it', async () => {
    const { changes } = await planned({ profiles: [{ name: 'p' }] }, { profiles: [profile('p', { policy: null })] });
    expect(changes.map(({ verb }) => verb)).toEqual(['unchanged']);
  });
});

describe('the tenant', () => {
  test('has the newest revision of each profile, with the ids of the older ones, the newest first', async () => {
    const { profiles } = await read({
      profiles: [
        profile('p', { id: 'one', revision: 1, active: false }),
        profile('q', { revision: 7 }),
        profile('p', { id: 'three', revision: 3, policy: { 'ai-security-profiles': ['newest'] } }),
        profile('p', { id: 'two', revision: 2 }),
      ],
    });
    expect(profiles).toEqual([
      {
        kind: 'profile',
        id: 'three',
        name: 'p',
        revision: 3,
        members: { active: true, policy: { 'ai-security-profiles': ['newest'] } },
        older: ['two', 'one'],
      },
      expect.objectContaining({ name: 'q', older: [] }),
    ]);
  });

  test('has no profile of an old name whose id is in use, because pruning it would delete the renamed profile', async () => {
    const { profiles } = await read({
      profiles: [profile('old', { id: 'one', revision: 1 }), profile('new', { id: 'one', revision: 2 })],
    });
    expect(profiles.map(({ name, older }) => [name, older])).toEqual([['new', []]]);
  });

  test('has both profiles of one name and revision, and a change of that name is refused', async () => {
    const { profiles } = await read({
      profiles: [profile('p', { revision: 2 }), profile('p', { id: 'other', revision: 2 }), profile('q')],
    });
    expect(profiles.map(({ id }) => id)).toEqual(['id of p', 'other', 'id of q']);
    expect(() => named(profiles, 'p')).toThrow(
      expect.objectContaining({
        message: 'The tenant has 2 profiles with the name p.',
        hint: 'Rename or delete all but one, and run it again.',
        rows: [
          { id: 'id of p', name: 'p', revision: 2 },
          { id: 'other', name: 'p', revision: 2 },
        ],
      }),
    );
    expect(named(profiles, 'q')?.id).toBe('id of q');
    expect(named(profiles, 'r')).toBeUndefined();
  });

  test.each([
    [true, false, true],
    [false, true, true],
    [false, false, false],
  ])('is simulated if either list is simulated: topics %s, profiles %s', async (topics, profiles, simulated) => {
    const inner = listing({});
    const tenant = await readTenant(async (name, args) => ({
      ...(await inner(name, args)),
      simulated: name === 'aisec-runtime-topics-list' ? topics : profiles,
    }));
    expect(tenant.simulated).toBe(simulated);
  });

  test('is read in full: both lists have a limit that no tenant reaches', async () => {
    const asked: unknown[] = [];
    const inner = listing({});
    await readTenant((name, args) => {
      asked.push([name, args]);
      return inner(name, args);
    });
    expect(asked).toEqual([
      ['aisec-runtime-topics-list', { limit: '100000000' }],
      ['aisec-runtime-profiles-list', { limit: '100000000' }],
    ]);
  });
});

describe('one record', () => {
  const answering = (answer: JsonObject | Error) => {
    const asked: unknown[] = [];
    const run: RunCommand = async (name, args) => {
      asked.push([name, args]);
      if (answer instanceof Error) throw answer;
      return { record: answer, records: [], raw: answer, simulated: false };
    };
    return { asked, run };
  };

  test.each(['topic', 'profile'] as const)('that the service does not know is rejected: %s', async (kind) => {
    const { run: gone } = answering(new NotFoundError('It is gone.'));
    expect(await findRecord({ kind, name: 'a', id: undefined }, gone)).toBeUndefined();
    const { run: broken } = answering(new ServiceError('Broken.'));
    expect((await failing(findRecord({ kind, name: 'a', id: undefined }, broken))).message).toBe('Broken.');
    const { run: empty } = answering({});
    expect(await failing(findRecord({ kind, name: 'a', id: undefined }, empty))).toBeInstanceOf(ResponseError);
  });
});

/** A service that changes each of its lists of profiles or topics. */
function listingOtherwise(kind: 'profiles' | 'topics', change: (body: Body) => unknown) {
  const sound = createService();
  const methods = new Set<string>();
  const handle: Service['handle'] = (request, clock) => {
    const response = sound.handle(request, clock);
    if (!request.url.includes('/mgmt/')) return response;
    methods.add(request.method);
    if (!request.url.includes(`/${kind}/tsg/`)) return response;
    return { ...response, body: JSON.stringify(change(JSON.parse(response.body))) };
  };
  return { service: { ...sound, handle }, methods };
}

interface Body {
  readonly ai_profiles: JsonObject[];
  readonly custom_topics: JsonObject[];
}

describe('apply and diff end with 8, and change nothing', () => {
  const CONTENT = { version: 1, topics: [{ name: 'investment-advice' }], profiles: [{ name: 'prod', active: true }] };

  test.each<{ title: string; kind: 'profiles' | 'topics'; change: (body: Body) => unknown; message: string }>([
    { title: 'for an empty answer', kind: 'profiles', change: () => ({}), message: 'no list at "ai_profiles"' },
    {
      title: 'for a list that is shorter than its count',
      kind: 'profiles',
      change: (body) => ({ ...body, total_count: 9 }),
      message: 'The service sent 4 of 9 records.',
    },
  ])('$title', async ({ kind, change, message }) => {
    const path = join(temporaryFolder('tenant'), 'guardrails.json');
    writeFileSync(path, JSON.stringify(CONTENT));
    for (const argv of [
      ['apply', path, '--yes', '--prune'],
      ['profiles', 'diff', path, '--exit-code'],
    ]) {
      const { service, methods } = listingOtherwise(kind, change);
      const { code, stdout, stderr } = await run(argv, { service });
      expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
      expect(stderr.replace(/\s+/g, ' ')).toContain(message);
      expect([...methods]).toEqual(['GET']);
    }
  });
});
