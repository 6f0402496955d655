/** A resource that is read again after its change. */
import { NotFoundError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { RunCommand } from '../../../lib/engine/run-command.ts';
import { readBack } from '../../../lib/features/guardrails/apply.ts';
import { type Change, profileRecord, topicRecord } from '../../../lib/features/guardrails/tenant.ts';
import { pinned, profile, topic } from './records.ts';
import { blocking, policy } from './support.ts';

/** Answers with this record; undefined: it is gone. */
const keeping =
  (record: JsonObject | undefined, asked: unknown[] = []): RunCommand =>
  async (name, args) => {
    asked.push([name, args]);
    if (record === undefined) throw new NotFoundError('It is gone.');
    return { record, records: [], raw: record, simulated: false };
  };

const created: Change = { kind: 'topic', name: 'a', verb: 'create', members: [] };
const updated: Change = { ...created, verb: 'update', record: topicRecord(topic('a')) };
const sent = { description: topic('a').description, examples: topic('a').examples };

describe('a change that is read again', () => {
  test.each<{ title: string; change: Change; record: JsonObject; id: string; revision: number; lost: object[] }>([
    {
      title: 'is kept at the first revision of a new resource',
      change: created,
      record: topic('a', { revision: 1 }),
      id: 'id of a',
      revision: 1,
      lost: [],
    },
    {
      title: 'is kept at the next revision of an old one, even with another id',
      change: updated,
      record: topic('a', { revision: 3, topic_id: 'other' }),
      id: 'other',
      revision: 3,
      lost: [],
    },
    {
      title: 'is kept at a later revision',
      change: updated,
      record: topic('a', { revision: 5 }),
      id: 'id of a',
      revision: 5,
      lost: [],
    },
    {
      title: 'is not kept at the revision of before',
      change: updated,
      record: topic('a', { revision: 2 }),
      id: 'id of a',
      revision: 2,
      lost: [{ path: ['revision'], before: 2, after: 3 }],
    },
    {
      title: 'is not kept at no revision',
      change: created,
      record: topic('a', { revision: 0 }),
      id: 'id of a',
      revision: 0,
      lost: [{ path: ['revision'], before: 0, after: 1 }],
    },
    {
      title: 'is not kept with another member, nor under another name',
      change: updated,
      record: topic('b', { topic_id: 'id of a', revision: 2, description: 'Cut' }),
      id: 'id of a',
      revision: 2,
      lost: [
        { path: ['name'], before: 'b', after: 'a' },
        { path: ['description'], before: 'Cut', after: sent.description },
        { path: ['revision'], before: 2, after: 3 },
      ],
    },
  ])('$title', async ({ change, record, id, revision, lost }) => {
    const asked: unknown[] = [];
    const kept = await readBack(change, sent, { run: keeping(record, asked), records: [] });
    expect(kept).toEqual({ id, revision, notKept: lost });
    expect(asked).toEqual([['aisec-runtime-topics-get', { topic_name: 'a' }]]);
  });

  test.each([
    { change: created, id: undefined, revision: 1 },
    { change: updated, id: 'id of a', revision: 3 },
  ])('is lost if the record is gone: $change.verb', async ({ change, id, revision }) => {
    const kept = await readBack(change, sent, { run: keeping(undefined), records: [] });
    expect(kept).toEqual({ id, revision, notKept: [{ path: ['name'], before: undefined, after: 'a' }] });
  });

  test('of a profile is compared with the names that its topics have now', async () => {
    const records = [topicRecord(topic('new', { topic_id: 'id of old' }))];
    const own = profileRecord(profile('p'));
    const change: Change = { kind: 'profile', name: 'p', verb: 'update', members: [], record: own };
    const record = profile('p', { revision: 4, policy: policy(blocking(pinned('old'))) });
    const members = { active: true, policy: policy(blocking({ ...pinned('old'), topic_name: 'new' })) };
    const asked: unknown[] = [];
    const kept = await readBack(change, members, { run: keeping(record, asked), records });
    expect(kept).toEqual({ id: 'id of p', revision: 4, notKept: [] });
    expect(asked).toEqual([['aisec-runtime-profiles-get', { profile_name: 'p' }]]);
  });
});
