/** Evidence of health: what cannot be judged is not healthy. */
import type { JsonObject } from '../../../lib/core/json.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { at, type Body, type Case, decides, documentOf } from './evidence.ts';
import { rehearse } from './rehearsal.ts';

const KEYS = /\/apikeys\//;
const CHANNELS = /\/channels/;
const UNJUDGED = 'Not known - a record is not complete';
const keys = (what: string, change: (list: Body[]) => void, branch = UNJUDGED): Case => ({
  what,
  patch: (body, request) => {
    at(KEYS, ({ api_keys: list }) => change(list as Body[]))(body, request);
    at(CHANNELS, ({ data }) => {
      for (const each of data as Body[]) if (each['status'] === 'OFFLINE') each['status'] = 'ONLINE';
    })(body, request);
  },
  branch,
});
const each = (members: JsonObject) => (list: Body[]) => {
  for (const key of list) Object.assign(key, members);
};
const first = (members: JsonObject) => (list: Body[]) => void Object.assign(list[0] ?? {}, members);
decides('health-check', {}, 'unknown', [
  keys('one of several keys without a date', first({ expiration: null })),
  keys('a key with an empty date', first({ expiration: '' })),
  keys('no key with a date', each({ expiration: null })),
  keys('a key of which it is not known whether it is revoked', first({ revoked: null, expiration: null })),
  keys('no key', (list) => void list.splice(0)),
  keys('only revoked keys', each({ revoked: true })),
  {
    ...keys('a key that has expired', first({ expiration: '2020-01-01T00:00:00Z' }), 'Attention'),
    verdict: 'attention',
  },
  {
    ...keys(
      'a key that has expired beside one without a date',
      (list) => {
        first({ expiration: '2020-01-01T00:00:00Z' })(list);
        Object.assign(list[1] ?? {}, { expiration: null });
      },
      'Attention',
    ),
    verdict: 'attention',
  },
  {
    ...keys(
      'a key whose state is not known that has expired',
      first({ revoked: null, expiration: '2020-01-01T00:00:00Z' }),
      'Attention',
    ),
    verdict: 'attention',
  },
  keys(
    'a list that ends at its limit',
    (list) => list.push(...Array.from({ length: 1000 }, (_, n) => ({ ...list[0], api_key_id: `k${n}` }))),
    'Not known - there are too many records',
  ),
  {
    what: 'a channel in an unknown state',
    patch: at(CHANNELS, ({ data }) => each({ status: null })(data as Body[])),
    branch: UNJUDGED,
  },
  { ...keys('keys in order', () => {}, 'Healthy'), verdict: 'healthy' },
]);

scenario('playbook-decision', 'health-check ends without a decision at a date that is none', async () => {
  const { patch } = keys('', first({ expiration: 'soon' }));
  const { failed, outputs } = await rehearse(await documentOf('health-check'), {}, { patch: patch ?? (() => {}) });
  expect(failed?.error?.message).toBe('"soon" is not a time, and cannot be compared as one.');
  expect(outputs).toMatchObject({
    'AiSec.Decision.verdict': 'unknown',
    'AiSec.Decision.reason': expect.stringContaining('a value could not be compared'),
  });
});
