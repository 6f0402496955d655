/** What each role and toolset may do. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queue } from '../../../bin/queue.ts';
import { simulated } from '../../../bin/simulated.ts';
import { registry } from '../../../commands/index.ts';
import { parseLine } from '../../../lib/arguments/argv.ts';
import { allowsEntry } from '../../../lib/client/allow.ts';
import type { ServedService } from '../../../lib/client/simulation.ts';
import type { Command } from '../../../lib/engine/command.ts';
import { limitsOf } from '../../../lib/hosts/http/access/rights.ts';
import { openTokenFile } from '../../../lib/hosts/http/access/tokens.ts';
import { type CommandEntry, entryOf } from '../../../lib/manifest/command-catalogue.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LINES } from '../../support/lines.ts';
import { until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeWithRedis, redisServer } from '../../unit/queue/redis-server.ts';
import { list, type Sent, type Server, start } from './support.ts';

describe('over HTTP', () => {
  type Token = 'reader' | 'operator' | 'runtime' | 'admin' | 'other' | 'other-admin';

  let server: Server;
  let tokensFile = '';
  const tenants: ServedService[] = [];
  const tokens = new Map<Token, string>();
  const as = (token: Token): Sent => ({ token: tokens.get(token) });

  beforeAll(async () => {
    const folder = temporaryFolder('roles');
    for (const seed of [1, 2]) tenants.push(await (await simulated({ seed })).serve(0));
    const config = join(folder, 'settings.json');
    tokensFile = join(folder, 'tokens.json');
    const [first = {}, second = {}] = tenants.map(({ settings }) => plain(settings));
    writeFileSync(config, JSON.stringify({ profiles: { default: first, other: second } }), { mode: 0o600 });
    const file = openTokenFile(tokensFile);
    const add = async (name: Token, role: string, more: { toolsets?: string[]; profile?: string } = {}) => {
      tokens.set(name, (await file.add({ name, role, ...more })).token);
    };
    await add('reader', 'read');
    await add('operator', 'operate');
    await add('runtime', 'admin', { toolsets: ['runtime'] });
    await add('admin', 'admin');
    await add('other', 'operate', { profile: 'other' });
    await add('other-admin', 'admin', { profile: 'other' });
    server = await start({ tokensFile, client: { simulate: false, configFile: config, environment: {} } });
  });
  afterAll(async () => {
    await server.close();
    for (const tenant of tenants) await tenant.close();
  });

  /** Names of the settings file for variables of the environment. */
  function plain(settings: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(settings).map(([name, value]) => {
        const setting = name.replace(/^AISEC_/, '').toLowerCase();
        return [setting === 'base_url' ? 'url' : setting, value];
      }),
    );
  }

  const SCAN = { profile_name: 'prod', prompt: 'hello' };
  const TOPIC = { topic_name: 'Payroll', description: 'Salaries of people.', examples: ['What?', 'Who?'] };

  /** A command that issues a secret is among them. */
  const BEYOND = [
    ['reader', 'aisec-runtime-scan'],
    ['reader', 'aisec-runtime-topics-create'],
    ['reader', 'aisec-runtime-topics-delete'],
    ['operator', 'aisec-runtime-topics-delete'],
    ['operator', 'aisec-runtime-api-keys-create'],
    ['runtime', 'aisec-redteam-targets-list'],
  ] as const;

  it.each(BEYOND)('A token of the %s cannot run %s by any route', async (role, command) => {
    const token = as(role);
    const session = (await server.send('/v1/sessions', { method: 'POST', body: {}, ...token })).json;
    const rehearsal = await server.send('/v1/playbooks/rehearse', {
      method: 'POST',
      body: { playbook: playbookOf(command) },
      ...token,
    });
    const answers = [
      rehearsal,
      await server.run(command, TOPIC, { ...token, headers: { prefer: 'respond-async' } }),
      await server.run(command, TOPIC, token),
      await server.run(command, TOPIC, { ...token, query: '?dry_run=true' }),
      await server.run(command, TOPIC, { ...token, headers: { 'idempotency-key': command } }),
      await server.send(`${session.url}/lines`, { method: 'POST', body: { line: `!${command} a=b` }, ...token }),
    ];
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(answers.map(() => [403, 'not-allowed']));
  });

  describe('A token with the role read', () => {
    it('reads', async () => {
      expect((await server.run('aisec-runtime-topics-list', {}, as('reader'))).status).toBe(200);
    });

    it('may run exactly what its catalogue lists', async () => {
      const { json } = await server.send('/v1/commands', as('reader'));
      const effects = new Set(list(json.commands).map(({ effect }) => String(effect)));
      expect([...effects]).toEqual(['read']);
    });
  });

  describe('A token with the role operate', () => {
    it('scans and creates', async () => {
      const operator = as('operator');
      expect((await server.run('aisec-runtime-scan', SCAN, operator)).status).toBe(200);
      expect((await server.run('aisec-runtime-topics-create', TOPIC, operator)).status).toBe(200);
    });
  });

  describe('Two tokens of one tenant', () => {
    it('do not share files, sessions and idempotency keys; an administrator sees the runs', async () => {
      const [operator, reader, admin] = [as('operator'), as('reader'), as('admin')];
      const file = (
        await server.send('/v1/files?name=a.csv', {
          method: 'POST',
          body: 'prompt\nhello\n',
          ...operator,
          headers: { 'content-type': 'text/csv' },
        })
      ).json;
      const session = (await server.send('/v1/sessions', { method: 'POST', body: {}, ...operator })).json;
      const run = (
        await server.run('aisec-runtime-topics-list', {}, { ...operator, headers: { prefer: 'respond-async' } })
      ).json;
      for (const url of [file.url, session.url]) {
        expect((await server.send(url, reader)).status).toBe(404);
        expect((await server.send(url, admin)).status).toBe(404);
      }
      expect((await server.send(run.url, reader)).status).toBe(404);
      expect((await server.send(run.url, admin)).status).toBe(200);
      const bulk = await server.run('aisec-runtime-bulk-scan', { profile_name: 'prod', entry_id: file.id }, admin);
      expect([bulk.status, bulk.json.code]).toEqual([400, 'usage']);
      const key = { 'idempotency-key': 'the-same' };
      const [mine, theirs] = [
        await server.run('aisec-runtime-topics-list', { limit: 1 }, { ...operator, headers: key }),
        await server.run('aisec-runtime-topics-list', { limit: 2 }, { ...admin, headers: key }),
      ];
      expect([mine.status, theirs.status]).toEqual([200, 200]);
    });
  });

  describe('A token with the name of a revoked one', () => {
    it('inherits nothing, and the revoked token is refused', async () => {
      const file = openTokenFile(tokensFile);
      const first = { token: (await file.add({ name: 'reused', role: 'admin' })).token };
      // A running service reads the file again after a second at most.
      await until(async () => (await server.send('/v1/commands', first)).status === 200);
      const session = (await server.send('/v1/sessions', { method: 'POST', body: {}, ...first })).json;
      const run = (
        await server.run('aisec-runtime-topics-list', {}, { ...first, headers: { prefer: 'respond-async' } })
      ).json;
      await file.revoke('reused');
      const second = { token: (await file.add({ name: 'reused', role: 'read' })).token };
      await until(async () => (await server.send('/v1/commands', second)).status === 200);
      expect((await server.send(session.url, first)).status).toBe(401);
      expect((await server.send(session.url, second)).status).toBe(404);
      expect((await server.send(run.url, second)).status).toBe(404);
    });
  });

  describe('Two tenants', () => {
    it("do not see each other's data, files, runs or kept responses", async () => {
      const [here, there] = [as('admin'), as('other-admin')];
      await server.run('aisec-runtime-topics-create', { ...TOPIC, topic_name: 'Only here' }, here);
      const names = async (token: Sent) =>
        list((await server.run('aisec-runtime-topics-list', { limit: 1000 }, token)).json.outputs['AiSec.Topic']).map(
          (topic) => String(topic.topic_name),
        );
      expect(await names(here)).toContain('Only here');
      expect(await names(there)).not.toContain('Only here');
      const run = (await server.run('aisec-runtime-topics-list', {}, { ...here, headers: { prefer: 'respond-async' } }))
        .json;
      await server.send(run.eventsUrl, here);
      for (const [method, path] of [
        ['GET', run.url],
        ['DELETE', run.url],
        ['GET', run.eventsUrl],
      ]) {
        expect((await server.send(path, { method, ...there })).status).toBe(404);
      }
      const seen = list((await server.send('/v1/runs', there)).json.runs).map(({ id }) => String(id));
      expect(seen).not.toContain(run.id);
    });

    it('have separate connections and measurements', async () => {
      await server.run('aisec-runtime-topics-list', {}, as('other'));
      const { text } = await server.send('/metrics', as('reader'));
      expect(text).toMatch(/aisec_tokens_fetched_total\{tenant="default"\} 1\n/);
      expect(text).toMatch(/aisec_tokens_fetched_total\{tenant="other"\} 1\n/);
      // They tell of all tenants.
      expect((await server.send('/metrics', as('other-admin'))).status).toBe(403);
    });
  });

  /** A playbook with one task. */
  function playbookOf(command: string): string {
    const { pairs } = parseLine(`!${command} ${LINES[command] ?? ''}`);
    const next = (id: string) => ({ nexttasks: { '#none#': [id] } });
    return JSON.stringify({
      name: 'One task',
      starttaskid: '0',
      tasks: {
        0: { id: '0', type: 'start', task: { name: '' }, ...next('1') },
        1: {
          id: '1',
          type: 'regular',
          task: { name: 'Run', script: `|||${command}`, iscommand: true },
          scriptarguments: Object.fromEntries(pairs.map(({ name, value }) => [name, { simple: String(value) }])),
        },
      },
    });
  }
});

describe('limits of a role', () => {
  const commands: Command[] = [];
  let catalogue: CommandEntry[] = [];

  beforeAll(async () => {
    for (const load of Object.values(registry)) commands.push(await load());
    catalogue = commands.map(entryOf);
  });

  const namesFor = (role: 'read' | 'operate' | 'admin', toolsets?: readonly string[]) => {
    const { allow } = limitsOf({ name: 'ci', role, ...(toolsets === undefined ? {} : { toolsets }) }, catalogue);
    return catalogue.filter((entry) => allowsEntry(allow, entry)).map(({ name }) => name);
  };
  const ISSUING = ['aisec-runtime-api-keys-create', 'aisec-runtime-api-keys-regenerate'];

  test('read permits exactly the commands that read and stay inside the service', () => {
    const wanted = commands.filter(({ effect, outside }) => effect === 'read' && outside !== true);
    expect(namesFor('read')).toEqual(wanted.map(({ name }) => name));
    expect(wanted.length).toBeGreaterThan(50);
    // Both conditions decide something.
    expect(commands.some(({ effect, outside }) => effect === 'read' && outside === true)).toBe(true);
  });

  test('operate permits all but deletions and commands that issue a secret', () => {
    const permitted = namesFor('operate');
    const left = commands.filter(({ name }) => !permitted.includes(name));
    expect(left.map(({ name }) => name)).toEqual(
      commands.filter(({ name, effect }) => effect === 'delete' || ISSUING.includes(name)).map(({ name }) => name),
    );
    expect(left.length).toBeGreaterThan(ISSUING.length);
  });

  test('admin permits all, and only admin sees secrets that the service returns once', () => {
    expect(namesFor('admin')).toEqual(Object.keys(registry));
    const hides = (role: 'read' | 'operate' | 'admin') => limitsOf({ name: 'ci', role }, catalogue).hideSecrets;
    expect([hides('read'), hides('operate'), hides('admin')]).toEqual([true, true, false]);
  });

  test('the commands that issue a secret follow from the declarations', () => {
    expect(catalogue.filter(({ issuesSecret }) => issuesSecret).map(({ name }) => name)).toEqual(ISSUING);
  });

  test('toolsets narrow every role, and widen no role', () => {
    const findings = (['read', 'operate', 'admin'] as const).flatMap((role) => {
      const all = namesFor(role);
      const sets = ['runtime', 'dlp', 'red-team', 'model-security'].map((word) => namesFor(role, [word]));
      const some = sets.flat();
      const foreign = some.filter((name) => !all.includes(name)).map((name) => `${role} gains ${name}`);
      const twice = some.filter((name, at) => some.indexOf(name) !== at).map((name) => `${role} has ${name} twice`);
      return [...foreign, ...twice, ...(sets[1]?.every((name) => name.includes('-dlp-')) ? [] : [`${role}: dlp`])];
    });
    expectNone(findings, 'toolsets that do not narrow');
    expect(namesFor('read', ['dlp', 'runtime']).length).toBeLessThan(namesFor('read').length);
    expect(namesFor('operate', ['all'])).toEqual(namesFor('operate'));
  });

  test('an unknown role or toolset permits nothing', () => {
    expect(() => namesFor('admin', ['constructor'])).toThrow('no toolset');
    expect(namesFor('root' as 'admin')).toEqual([]);
    expect(namesFor('admin', [])).toEqual([]);
  });
});

describe('after a rotation', () => {
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
});
