/** What each role and toolset may do, and what is refused immediately, without a run. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queue } from '../../../bin/queue.ts';
import { simulated } from '../../../bin/simulated.ts';
import { registry } from '../../../commands/index.ts';
import { allowsEntry } from '../../../lib/client/allow.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import type { ServedService } from '../../../lib/client/simulation.ts';
import { limitsOf } from '../../../lib/hosts/http/access/rights.ts';
import { type CommandEntry, catalogueEntry } from '../../../lib/manifest/command-catalogue.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LINES } from '../../support/lines.ts';
import { until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeWithRedis, redisServer } from '../../unit/queue/redis-server.ts';
import { list, playbookOf, type Sent, startBriefly, startForAll, tokensOf } from './support.ts';

describe('over HTTP', () => {
  const tenants: ServedService[] = [];
  let tokens: Awaited<ReturnType<typeof madeTokens>>;
  const madeTokens = () =>
    tokensOf({
      reader: 'read',
      operator: 'operate',
      runtime: { role: 'admin', toolsets: ['runtime'] },
      admin: 'admin',
      other: { role: 'operate', profile: 'other' },
      'other-admin': { role: 'admin', profile: 'other' },
    });
  type Token = Parameters<(typeof tokens)['as']>[0];
  const as = (token: Token): Sent => tokens.as(token);

  const server = startForAll(async () => {
    for (const seed of [1, 2]) tenants.push(await (await simulated({ seed })).serve(0));
    const configFile = join(temporaryFolder('roles'), 'settings.json');
    const [first = {}, second = {}] = tenants.map(({ settings }) => plain(settings));
    writeFileSync(configFile, JSON.stringify({ profiles: { default: first, other: second } }), { mode: 0o600 });
    tokens = await madeTokens();
    return { tokensFile: tokens.tokensFile, client: { simulate: false, configFile, environment: {} } };
  });
  afterAll(async () => {
    for (const tenant of tenants) await tenant.close();
  });

  /** The settings-file names of environment variables. */
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

  /** A command in this toolset issues a secret. */
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
      body: { playbook: playbookOf(command, argumentsOf(command)) },
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

  it('A token that reads may run exactly what its catalogue lists; a token that operates scans and creates', async () => {
    expect((await server.run('aisec-runtime-topics-list', {}, as('reader'))).status).toBe(200);
    const { json } = await server.send('/v1/commands', as('reader'));
    const effects = new Set(list(json.commands).map(({ effect }) => String(effect)));
    expect([...effects]).toEqual(['read']);
    expect((await server.run('aisec-runtime-scan', SCAN, as('operator'))).status).toBe(200);
    expect((await server.run('aisec-runtime-topics-create', TOPIC, as('operator'))).status).toBe(200);
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

  describe('A token with the name of a revoked token', () => {
    it('inherits nothing, and the revoked token is refused', async () => {
      const { file } = tokens;
      const first = { token: (await file.add({ name: 'reused', role: 'admin' })).token };
      // A running service reads the file again after at most one second.
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

    it('have separate connections and metrics', async () => {
      await server.run('aisec-runtime-topics-list', {}, as('other'));
      const { text } = await server.send('/metrics', as('reader'));
      expect(text).toMatch(/aisec_tokens_fetched_total\{tenant="default"\} 1\n/);
      expect(text).toMatch(/aisec_tokens_fetched_total\{tenant="other"\} 1\n/);
      // They show all tenants.
      expect((await server.send('/metrics', as('other-admin'))).status).toBe(403);
    });
  });

  const argumentsOf = (command: string) =>
    Object.fromEntries(parseLine(`!${command} ${LINES[command] ?? ''}`).pairs.map(({ name, value }) => [name, value]));
});

/** Work that is certain to fail is refused immediately, without a run. */
describe('refused at once', () => {
  const LATER = { prefer: 'respond-async' };
  let session = '';
  let tokens: Awaited<ReturnType<typeof tokensOf<'reader' | 'runtime' | 'admin'>>>;
  const [runtime, admin] = [() => tokens.as('runtime'), () => tokens.as('admin')];
  const server = startForAll(async () => {
    tokens = await tokensOf({ reader: 'read', runtime: { role: 'admin', toolsets: ['runtime'] }, admin: 'admin' });
    return { tokensFile: tokens.tokensFile };
  });
  beforeEach(async () => {
    session = (await server.send('/v1/sessions', { method: 'POST', body: {}, ...runtime() })).json.url;
  });

  const runs = async (token: Sent) => list((await server.send('/v1/runs', token)).json.runs);

  scenario.each<{ what: string; command: string; args: object; as: 'reader' | 'runtime'; wait?: true }>([
    { what: 'an unknown argument', command: 'aisec-runtime-topics-list', args: { limt: 1 }, as: 'runtime' },
    { what: 'a wrong value', command: 'aisec-runtime-topics-list', args: { limit: 'many' }, as: 'runtime' },
    { what: 'a missing argument', command: 'aisec-runtime-scan', args: {}, as: 'runtime' },
    { what: 'a command beyond the role', command: 'aisec-runtime-scan', args: {}, as: 'reader' },
    { what: 'a command of another toolset', command: 'aisec-redteam-targets-list', args: {}, as: 'runtime' },
    { what: 'an unknown command', command: 'aisec-runtime-topics-lst', args: {}, as: 'runtime' },
  ])(
    'async-refusal',
    '$what is refused with the problem of the synchronous response',
    async ({ command, args, as }) => {
      const token = tokens.as(as);
      const now = await server.run(command, args, token);
      const later = await server.run(command, args, { ...token, headers: LATER });
      expect(now.status).toBeGreaterThanOrEqual(400);
      expect([later.status, later.json]).toEqual([now.status, now.json]);
      expect(await runs(token)).toEqual([]);
    },
  );

  scenario('async-refusal', 'a job with wait is refused at once', async () => {
    const refused = await server.run('aisec-redteam-scan-create', { wait: true }, runtime());
    const wrong = await server.run('aisec-redteam-scan-create', { wait: true }, admin());
    expect([refused, wrong].map(({ status, json }) => [status, json.code])).toEqual([
      [403, 'not-allowed'],
      [400, 'arguments'],
    ]);
    expect(await runs(admin())).toEqual([]);
    expect(await runs(runtime())).toEqual([]);
  });

  scenario.each<{ what: string; line: string }>([
    { what: 'an unknown argument', line: '!aisec-runtime-topics-list limt=1' },
    { what: 'a wrong value', line: '!aisec-runtime-topics-list limit=many' },
    { what: 'a reference to a missing value', line: '!aisec-runtime-topics-get topic_id=${AiSec.Topic.topic_id}' },
    { what: 'a command of another toolset', line: '!aisec-redteam-targets-list' },
    { what: 'an unknown command', line: '!aisec-runtime-topics-lst' },
    { what: 'an unclosed quote', line: '!aisec-runtime-topics-list limit="1' },
  ])('async-refusal', 'a line with $what is refused with the problem of the synchronous response', async ({ line }) => {
    const say = (headers: Record<string, string>) =>
      server.send(`${session}/lines`, { method: 'POST', body: { line }, headers, ...runtime() });
    const [now, later] = [await say({}), await say(LATER)];
    expect(now.status).toBeGreaterThanOrEqual(400);
    expect([later.status, later.json]).toEqual([now.status, now.json]);
    expect(await runs(runtime())).toEqual([]);
    const entries = list((await server.send(session, runtime())).json.entries);
    expect(entries.map(({ problem }) => String(problem?.code))).toEqual([now.json.code, now.json.code]);
  });

  scenario.each<{ what: string; command: string; args: Record<string, string>; code: string }>([
    { what: 'a command of another toolset', command: 'aisec-redteam-targets-list', args: {}, code: 'not-allowed' },
    { what: 'an unknown command', command: 'aisec-runtime-topics-lst', args: {}, code: 'arguments' },
    { what: 'an unknown argument', command: 'aisec-runtime-topics-list', args: { limt: '1' }, code: 'arguments' },
  ])('async-refusal', 'a playbook with $what is refused at once', async ({ command, args, code }) => {
    const body = { playbook: playbookOf(command, args) };
    const { json } = await server.send('/v1/playbooks/rehearse', { method: 'POST', body, ...runtime() });
    expect(json.code).toBe(code);
    expect(await runs(runtime())).toEqual([]);
  });
});

describe('limits of a role', () => {
  const commands: Command[] = [];
  let catalogue: CommandEntry[] = [];

  beforeAll(async () => {
    for (const load of Object.values(registry)) commands.push(await load());
    catalogue = commands.map(catalogueEntry);
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
    // Each of the two conditions decides some cases.
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
    scenario(
      'rotation',
      'an administrator sees that an older run is unreadable, and why; the token that started it does not',
      async () => {
        const { tokensFile, as } = await tokensOf({
          operator: 'operate',
          admin: 'admin',
          runtime: { role: 'admin', toolsets: ['runtime'] },
        });
        const admins = [as('admin'), as('runtime')];
        const [older, newer] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
        const serviceWith = (key = '') =>
          startBriefly({ tokensFile, parts: { queue }, client: { queue: { url: redis.url, key } } });
        const before = await serviceWith(older);
        const { json } = await before.run(
          'aisec-runtime-topics-list',
          {},
          { ...as('operator'), headers: { prefer: 'respond-async' } },
        );
        await before.close();
        const after = await serviceWith(newer);
        for (const admin of admins) {
          const { runs } = (await after.send('/v1/runs', admin)).json as { runs: unknown[] };
          expect(runs).toMatchObject([{ id: (json as { id: string }).id, state: 'unreadable' }]);
          expect(JSON.stringify(runs)).toContain('the key \\"old\\"');
        }
        expect((await after.send('/v1/runs', as('operator'))).json).toEqual({ runs: [] });
      },
    );
  });
});
