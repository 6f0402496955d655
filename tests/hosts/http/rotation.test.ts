/** Runs of a key that the service no longer has: they are listed for an administrator, and for no other caller. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { queue } from '../../../bin/queue.ts';
import { openTokenFile } from '../../../lib/hosts/http/access/tokens.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeWithRedis, redisServer } from '../../unit/queue/redis-server.ts';
import { start } from './support.ts';

const redis = redisServer();

describeWithRedis('After the exchange of the key', () => {
  scenario('rotation', 'an administrator sees an older run as unreadable, and why; its token does not', async () => {
    const tokensFile = join(temporaryFolder('rotation'), 'tokens.json');
    const file = openTokenFile(tokensFile);
    const tokenOf = async (name: string, role: string, more: { toolsets?: string[] } = {}) => ({
      token: (await file.add({ name, role, ...more })).token,
    });
    const operator = await tokenOf('operator', 'operate');
    const admins = [await tokenOf('admin', 'admin'), await tokenOf('runtime', 'admin', { toolsets: ['runtime'] })];
    const [older, newer] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
    const serviceWith = (key = '') =>
      start({ tokensFile, parts: { queue }, client: { queue: { url: redis.url, key } } });
    const before = await serviceWith(older);
    const { json } = await before.run(
      'aisec-runtime-topics-list',
      {},
      { ...operator, headers: { prefer: 'respond-async' } },
    );
    await before.close();
    const after = await serviceWith(newer);
    try {
      for (const admin of admins) {
        const { runs } = (await after.send('/v1/runs', admin)).json as { runs: unknown[] };
        expect(runs).toMatchObject([{ id: (json as { id: string }).id, state: 'unreadable' }]);
        expect(JSON.stringify(runs)).toContain('the key \\"old\\"');
      }
      expect((await after.send('/v1/runs', operator)).json).toEqual({ runs: [] });
    } finally {
      await after.close();
    }
  });
});
