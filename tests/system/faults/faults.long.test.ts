/** Service faults, met by whole commands over real sockets. An unhandled rejection fails its test. */

import type { Socket } from 'node:net';
import { registry } from '../../../commands/index.ts';
import { startServer } from '../../../fixtures/service/server.ts';
import { createService } from '../../../fixtures/service/service.ts';
import type { Service, ServiceOptions, ServiceRequest } from '../../../fixtures/service/types.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import type { Stop } from '../../../lib/core/ports.ts';
import type { Runtime } from '../../../lib/core/runtime.ts';
import { newStop } from '../../../lib/core/stop.ts';
import { type NodeTransportOptions, nodeTransport } from '../../../lib/node/http/transport.ts';
import { runtimeOf } from '../../../lib/runtime/engine/command-runtime.ts';
import { dispatch } from '../../../lib/runtime/engine/dispatch.ts';
import type { Result } from '../../../lib/runtime/output/result.ts';
import { resolveSettings } from '../../../lib/runtime/settings/settings.ts';
import { failing } from '../../support/exchange.ts';
import { memoryFiles } from '../../support/files.ts';
import { machineClock, until, withLimits } from '../../support/machine.ts';
import { ADVICE, silent } from '../../support/simulated.ts';
import { stoppedWhen } from '../../support/stop.ts';
import {
  closedPort,
  closeServersAfterEach,
  serveHttp,
  serveProxy,
  serveSockets,
} from '../../unit/transport/servers.ts';
import { scenario } from '../scenarios/claims.ts';

interface Session {
  /** Runs a line. */
  run(line: string, overrides?: Partial<Runtime>): Promise<Result>;
  /** Requests that reached the service under this path. */
  reached(path: string): ServiceRequest[];
  /** Options of a test: the difference between the two clocks in milliseconds, and the service's responses. */
  readonly now: { client: number; service: number; answer: Service['handle'] };
  /** Durations of the client's waits, in milliseconds; they take no time. */
  readonly waits: number[];
  readonly service: Service;
  readonly runtime: Runtime;
  /** Ends the client's connections. */
  close(): Promise<void>;
  /** Host and port of the service. */
  readonly host: string;
  /** Waits until at most this many connections are open. @returns the number of open connections */
  connections(most: number): Promise<number>;
}

interface SessionOptions extends ServiceOptions {
  readonly transport?: Partial<NodeTransportOptions>;
}

const closers: (() => Promise<void>)[] = [];

/** Registers a hook that closes the sessions and checks that no connection is left; call it once per test file. */
function closeSessionsAfterEach(): void {
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
  });
}

/** Starts the simulated service behind a server, and a client for it. */
async function openSession({ transport: overrides, ...options }: SessionOptions = {}): Promise<Session> {
  const service = createService(options);
  const requests: ServiceRequest[] = [];
  const now: Session['now'] = { client: 0, service: 0, answer: (request, clock) => service.handle(request, clock) };
  const watched: Service = {
    ...service,
    handle: (request) => {
      requests.push(request);
      return now.answer(request, { now: () => machineClock.now() + now.service });
    },
  };
  const server = await startServer(watched, { port: 0 });
  const transport = nodeTransport({ insecure: false, proxy: false, ...overrides });
  const connections: Session['connections'] = async (most) => {
    await until(async () => (await server.connections()) <= most);
    return server.connections();
  };
  closers.push(async () => {
    await transport.close();
    const left = await connections(0);
    await server.close();
    expect(left).toBe(0);
  });
  const { host } = new URL(server.origin);
  const waits: number[] = [];
  const runtime = runtimeFor(service, server.origin, {
    transport,
    clock: {
      now: () => machineClock.now() + now.client,
      elapsed: machineClock.elapsed,
      random: () => 0,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
      },
    },
  });
  return {
    run: (line, overrides = {}) => dispatch(parseLine(line), registry, { ...runtime, ...overrides }),
    reached: (path) => requests.filter(({ url }) => url.startsWith(path)),
    now,
    waits,
    service,
    runtime,
    host,
    close: () => transport.close(),
    connections,
  };
}

function runtimeFor(service: Service, origin: string, ports: Pick<Runtime, 'transport' | 'clock'>): Runtime {
  return runtimeOf({
    ...ports,
    settings: resolveSettings({ environment: service.settings(origin) }).settings,
    log: silent,
    budgetMs: 10_000,
    files: memoryFiles(),
    context: {},
    advice: ADVICE,
  });
}

closeSessionsAfterEach();
closeServersAfterEach();

const CANARY = 'canary-5ecret';
const UNKNOWN = /outcome is unknown: list .* before you repeat/;

const TOKEN = '/oauth2/access_token';
const TOPICS = '/aisec/v1/mgmt/topics';
const TOPIC = '/aisec/v1/mgmt/topic';
const SCAN = '/v1/scan';
const READ = '!aisec-runtime-topics-list limit=1';
const READ_BY_POST = '!aisec-runtime-scan profile_name=prod prompt=hi';
const create = (name: string) => `!aisec-runtime-topics-create topic_name=${name} description=d examples=one,two`;

/** Opens a session that already has a token, so that only the test's requests count. */
async function signedIn(options: Parameters<typeof openSession>[0] = {}): Promise<Session> {
  const session = await openSession(options);
  await session.run('!aisec-runtime-profiles-list limit=1');
  return session;
}

const creates = (session: Session) => session.reached(TOPIC).filter(({ method }) => method === 'POST');

describe('a fault of the service', () => {
  interface Row {
    fault: string;
    /** Requests that reach the service: for a read, a read by POST, a create. */
    sent: readonly [number, number, number];
    error: string;
    exitCode: number;
    /** Part of the message; HOST is the service's host and port. */
    says: string;
    /** The create may have been executed. */
    unknown: boolean;
    /** Ends by time-out. */
    isLate?: boolean;
  }
  const status = { error: 'ServiceError', exitCode: 8, unknown: true };
  const wrong = { error: 'ResponseError', exitCode: 8, unknown: true };
  const lost = { error: 'NetworkError', exitCode: 9, unknown: true };
  const late = { error: 'TimeoutError', exitCode: 9, unknown: true, isLate: true };
  const busy = { error: 'RateLimitError', exitCode: 7, unknown: false };
  const rows: Row[] = [
    { fault: '500', sent: [3, 3, 1], says: 'failed (HTTP 500 to', ...status },
    { fault: '503', sent: [3, 3, 1], says: 'failed (HTTP 503 to', ...status },
    { fault: '503:3600', sent: [1, 1, 1], says: 'failed (HTTP 503 to', ...status },
    { fault: 'html:502', sent: [3, 3, 1], says: 'failed (HTTP 502 to', ...status },
    { fault: 'html', sent: [1, 1, 1], says: 'returned an invalid response', ...wrong },
    { fault: 'garbled', sent: [1, 1, 1], says: 'returned an invalid response', ...wrong },
    { fault: 'oversize', sent: [1, 1, 1], says: 'HOST is larger than the limit of 2 MB', ...wrong },
    { fault: 'inflate', sent: [1, 1, 1], says: 'HOST is larger than the limit of 2 MB', ...wrong },
    { fault: '429:0', sent: [3, 3, 3], says: 'limits the request rate', ...busy },
    { fault: '429:20', sent: [1, 1, 1], says: 'limits the request rate', ...busy },
    { fault: '429:86400', sent: [1, 1, 1], says: 'limits the request rate', ...busy },
    { fault: '400', sent: [1, 1, 1], says: '(HTTP 400 to', error: 'RefusedError', exitCode: 2, unknown: false },
    { fault: '409', sent: [1, 1, 1], says: '(HTTP 409 to', error: 'ConflictError', exitCode: 5, unknown: false },
    { fault: 'reset', sent: [3, 3, 1], says: 'The connection to HOST was lost before the response arrived', ...lost },
    { fault: 'drop', sent: [3, 3, 1], says: 'The connection to HOST was lost before the response arrived', ...lost },
    { fault: 'truncate', sent: [3, 3, 1], says: 'The response from HOST is incomplete', ...lost },
    { fault: 'hang', sent: [1, 1, 1], says: 's while waiting for the response from HOST', ...late },
    { fault: 'latency:9000', sent: [1, 1, 1], says: 's while waiting for the response from HOST', ...late },
    { fault: 'stall', sent: [1, 1, 1], says: 's while reading the response from HOST', ...late },
    { fault: 'drip', sent: [1, 1, 1], says: 's while reading the response from HOST', ...late },
  ];
  scenario.each(rows)(
    ['retry-get-503', 'retry-read-by-post', 'retry-post-never-blind', 'network-reset-mid-body', 'timeout-budget'],
    '$fault: a read, a read by POST and a create send $sent requests and end with $error',
    async ({ fault, sent, error, exitCode, says, unknown, isLate = false }) => {
      const meet = async (budgetMs: number) => {
        const session = await signedIn({
          faults: [`${fault}@${TOPIC}`, `${fault}@${SCAN}`],
          transport: { maxResponseBytes: 2_000_000 },
        });
        const errors = await Promise.all(
          [READ, READ_BY_POST, create('one')].map((line) => failing(session.run(line, { budgetMs }))),
        );
        const requests = [session.reached(TOPICS), session.reached(SCAN), creates(session)];
        expect(requests.map(({ length }) => length)).toEqual(sent);
        for (const met of errors) {
          expect(met).toMatchObject({ name: error, exitCode });
          expect(met.message).toContain(says.replace('HOST', session.host));
          expect(met.hint).toMatch(/\w/);
        }
        expect(errors.map(({ hint }) => UNKNOWN.test(hint ?? ''))).toEqual([false, false, unknown]);
        expect(errors[2]?.retryable).toBe(error === 'RateLimitError');
        // Only the token request's connection may be kept: no request waits for the others.
        if (isLate) expect(await session.connections(1)).toBeLessThanOrEqual(1);
      };
      await (isLate ? withLimits(meet) : meet(10_000));
    },
  );

  scenario.each(['503', '503:1', 'html:502', '429', 'reset', 'drop', 'truncate'].map((fault) => ({ fault })))(
    ['retry-get-503', 'retry-read-by-post'],
    '$fault twice: reads are retried and succeed',
    async ({ fault }) => {
      const session = await signedIn({ faults: [`${fault}x2@${TOPIC}`, `${fault}x2@${SCAN}`] });
      const [read, scan] = await Promise.all([session.run(READ), session.run(READ_BY_POST)]);
      expect(read.writes[0]?.value).toHaveLength(1);
      expect(scan.writes[0]?.value).toMatchObject({ action: 'allow' });
      expect([session.reached(TOPICS).length, session.reached(SCAN).length]).toEqual([3, 3]);
      expect(session.waits).toEqual(Array(4).fill(/:1|429/.test(fault) ? 1000 : 0));
    },
  );

  scenario('retry-429-header', 'retries a create after two 429 responses, and creates once', async () => {
    const session = await signedIn({ faults: [`429x2@${TOPIC}`] });
    await session.run(create('late'));
    const { writes } = await session.run('!aisec-runtime-topics-list');
    expect(JSON.stringify(writes).match(/"late"/g)).toHaveLength(1);
  });

  test('accepts JSON with a wrong content type', async () => {
    const session = await signedIn({ faults: ['plain'] });
    for (const line of [READ, READ_BY_POST, create('one')]) await session.run(line);
    expect(creates(session)).toHaveLength(1);
  });

  const atToken = [
    { fault: '503', sent: 3, error: 'ResponseError', says: 'the token address answered HTTP 503' },
    { fault: '429:0', sent: 3, error: 'ResponseError', says: 'the token address answered HTTP 429' },
    { fault: 'html', sent: 1, error: 'ResponseError', says: 'token address has no token' },
    { fault: 'garbled', sent: 1, error: 'ResponseError', says: 'token address has no token' },
    { fault: '401', sent: 1, error: 'AuthError', says: 'refused the client (HTTP 401)' },
    { fault: 'reset', sent: 3, error: 'NetworkError', says: 'was lost before the response arrived' },
    { fault: 'truncate', sent: 3, error: 'NetworkError', says: 'is incomplete' },
    { fault: 'hang', sent: 1, error: 'TimeoutError', says: 'while waiting for the response' },
    { fault: 'drip', sent: 1, error: 'TimeoutError', says: 'while reading the response' },
  ];
  scenario.each(atToken)(
    ['oauth-failure-clears', 'oauth-single-flight'],
    '$fault at the token address ends ten parallel commands after $sent requests, and nothing else is sent',
    async ({ fault, sent, error, says }) => {
      const meet = async (budgetMs: number) => {
        const session = await openSession({ faults: [`${fault}x${sent}@/oauth2`] });
        // Load the modules first, so that all ten commands start together.
        await session.run(create('tried'), { dryRun: true });
        const errors = await Promise.all(
          Array.from({ length: 10 }, (_, index) => failing(session.run(create(`t${index}`), { budgetMs }))),
        );
        for (const met of errors) {
          expect(met).toMatchObject({ name: error, message: expect.stringContaining(says) });
          expect(met.hint).not.toMatch(UNKNOWN);
        }
        expect([session.reached(TOKEN).length, session.reached('/').length]).toEqual([sent, sent]);
        await session.run(create('afterwards'));
      };
      await (error === 'TimeoutError' ? withLimits(meet) : meet(10_000));
    },
  );
});

describe('a connection', () => {
  const elsewhere = async (session: Session, line: string, url: string, budgetMs = 10_000) =>
    failing(session.run(line, { settings: { ...session.runtime.settings, url }, budgetMs }));

  scenario('retry-get-503', 'that is refused is an error with host and port, and the outcome is known', async () => {
    const session = await signedIn();
    const host = `127.0.0.1:${await closedPort()}`;
    for (const line of [READ, create('one')]) {
      const error = await elsewhere(session, line, `http://${host}`);
      expect(error).toMatchObject({ name: 'NetworkError', exitCode: 9, message: `${host} refused the connection.` });
      expect(error.hint).toMatch(/^Check the address/);
      expect(error.hint).not.toMatch(UNKNOWN);
    }
    expect(session.waits).toEqual([0, 0]);
  });

  scenario('timeout-budget', 'that times out is an error with the host, and the outcome is known', async () => {
    const session = await signedIn();
    const silent = await serveSockets(() => undefined);
    for (const line of [READ, create('one')]) {
      await withLimits(async (budgetMs) => {
        const error = await elsewhere(session, line, `https://${silent.host}`, budgetMs);
        expect(error).toMatchObject({ name: 'TimeoutError', exitCode: 9 });
        expect(error.message).toMatch(
          new RegExp(`^Timed out after \\d\\.\\d+ s while connecting to ${silent.host}\\.$`),
        );
        expect(error.hint).not.toMatch(UNKNOWN);
      });
    }
  });

  scenario('timeout-budget', 'closes at the timeout, and sends nothing afterwards', async () => {
    await withLimits(async (budgetMs) => {
      const session = await signedIn({ faults: [`503@${TOPICS}`, `hang@${SCAN}`], latencyMs: 0.6 * budgetMs });
      const errors = [READ, READ_BY_POST].map((line) => failing(session.run(line, { budgetMs })));
      for (const error of await Promise.all(errors)) expect(error.name).toBe('TimeoutError');
      const reached = () => [session.reached(TOPICS).length, session.reached(SCAN).length];
      const before = reached();
      expect(before[0]).toBeLessThanOrEqual(2);
      await new Promise((resolve) => setTimeout(resolve, budgetMs));
      expect(reached()).toEqual(before);
    });
  });

  scenario('retry-budget', 'a hundred failing commands share ten retries', async () => {
    const session = await signedIn({ faults: [`503x110@${TOPICS}`] });
    const errors = await Promise.all(Array.from({ length: 100 }, () => failing(session.run(READ))));
    expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(['ServiceError']));
    expect(session.reached(TOPICS)).toHaveLength(110);
    await session.run(READ);
  });
});

describe('fifty parallel commands', () => {
  const QUARTER_HOUR_MS = 16 * 60_000;
  const lines = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? READ : create(`topic-${index}`)));
  const runAll = (session: Session) => Promise.all(lines.map((line) => session.run(line)));

  const tokens = [
    { what: 'expired for both', client: QUARTER_HOUR_MS, service: QUARTER_HOUR_MS, refused: false },
    { what: 'expired for a service whose clock is ahead', client: 0, service: QUARTER_HOUR_MS, refused: true },
    { what: 'kept by a client whose clock went back', client: -86_400_000, service: QUARTER_HOUR_MS, refused: true },
  ];
  scenario.each(tokens)(
    ['oauth-single-flight', 'oauth-401-once', 'oauth-early-refresh'],
    'renew a token once that has $what, and all succeed',
    async ({ client, service, refused }) => {
      const session = await signedIn();
      Object.assign(session.now, { client, service });
      await runAll(session);
      expect(session.reached(TOKEN)).toHaveLength(2);
      const sent = session.reached(TOPIC).length;
      expect(sent > 50).toBe(refused);
      expect(sent).toBeLessThanOrEqual(100);
      const { writes } = await session.run('!aisec-runtime-topics-list');
      expect(writes[0]?.value).toHaveLength(3 + 25);
    },
  );

  scenario(['oauth-single-flight', 'oauth-401-once'], 'renew a revoked token once, and all succeed', async () => {
    const session = await signedIn({ faults: [`expired-token@${TOPIC}`] });
    await runAll(session);
    expect(session.reached(TOKEN)).toHaveLength(2);
    const { writes } = await session.run('!aisec-runtime-topics-list');
    expect(writes[0]?.value).toHaveLength(3 + 25);
  });

  scenario(
    'oauth-401-once',
    'end with an AuthError after one request for a new token if the service refuses the client',
    async () => {
      const session = await signedIn({ faults: [`401@${TOPIC}`] });
      const errors = await Promise.all(lines.map((line) => failing(session.run(line))));
      expect(new Set(errors.map(({ name, exitCode }) => `${name} ${exitCode}`))).toEqual(new Set(['AuthError 4']));
      expect([session.reached(TOPIC).length, session.reached(TOKEN).length]).toEqual([100, 2]);
      expect(new Set(errors.map(({ retryable }) => retryable))).toEqual(new Set([false]));
    },
  );
});

describe('a wrong clock', () => {
  const HOURS = [{ hours: -7 }, { hours: 0 }, { hours: 7 }];

  scenario.each(HOURS)('oauth-early-refresh', '$hours h off: renews a token in time', async ({ hours }) => {
    const session = await openSession();
    for (const minutes of [0, 10, 14.5]) {
      session.now.client = hours * 3_600_000 + minutes * 60_000;
      session.now.service = minutes * 60_000;
      await session.run(READ);
    }
    expect([session.reached(TOKEN).length, session.reached(TOPICS).length]).toEqual([2, 3]);
  });

  scenario.each(HOURS)(
    'retry-429-header',
    '$hours h off: waits until the date in retry-after, by the clock of the service',
    async ({ hours }) => {
      const session = await signedIn();
      session.now.client = hours * 3_600_000;
      let turnedAway = 0;
      session.now.answer = (request: ServiceRequest, clock): ReturnType<Service['handle']> => {
        const answer = session.service.handle(request, clock);
        turnedAway += 1;
        if (turnedAway > 1) return answer;
        const date = new Date(clock.now() + 50_000).toUTCString();
        return { ...answer, status: 429, body: '', headers: { 'retry-after': date } };
      };
      await session.run(READ, { budgetMs: 600_000 });
      expect(session.waits).toHaveLength(1);
      expect(session.waits[0]).toBeGreaterThan(20_000);
      expect(session.waits[0]).toBeLessThan(52_000);
    },
  );
});

describe('a proxy', () => {
  /** Opens a session that reaches the service through a proxy. */
  async function behind(refuse?: number, exempt = '') {
    const environment: Record<string, string> = { NO_PROXY: exempt };
    const session = await openSession({ transport: { proxy: true, environment } });
    const proxy = await serveProxy(Number(new URL(`http://${session.host}`).port), refuse);
    environment['HTTP_PROXY'] = `http://user:${CANARY}@${proxy.host}`;
    return { session, proxy, environment };
  }

  scenario('proxy', 'that refuses a create forwards nothing, and the outcome is known', async () => {
    const { session, proxy, environment } = await behind(407, '*');
    await session.run(READ);
    environment['NO_PROXY'] = '';
    const error = await failing(session.run(create('one')));
    expect(error).toMatchObject({ name: 'ProxyError', hint: expect.not.stringMatching(UNKNOWN) });
    expect([proxy.targets.length, creates(session).length]).toEqual([1, 0]);
  });
});

test('closing the transport ends hanging and dripping requests, and a stopped command is not retried', async () => {
  const session = await signedIn({ faults: [`hang@${SCAN}`, `drip@${TOPICS}`, `stall@${TOPIC}`] });
  let stopped = false;
  const running = [READ, READ_BY_POST, create('one')].map((line) =>
    failing(session.run(line, { stop: stoppedWhen(() => stopped) })),
  );
  const arrived = () => session.reached(SCAN).length + session.reached(TOPIC).length === 3;
  await until(arrived);
  stopped = true;
  await session.close();
  expect((await Promise.all(running)).map(({ exitCode }) => exitCode)).toEqual([130, 130, 9]);
  expect(await session.connections(0)).toBe(0);
});

describe('stopping one of fifty parallel calls of a client', () => {
  const COUNT = 50;
  const CHOSEN = 7;

  /** A client of a service that answers on demand, and records the connections of its requests. */
  async function holding(isTokenHeld = false) {
    const held: (() => void)[] = [];
    const used = new Set<Socket>();
    const tokens: (() => void)[] = [];
    const server = await serveHttp((request, response) => {
      used.add(request.socket);
      const isToken = request.url === TOKEN;
      const answer = isToken ? { access_token: 'a-token', expires_in: 900 } : { custom_topics: [], next_offset: 0 };
      const reply = () => void response.end(JSON.stringify(answer));
      if (isToken && !isTokenHeld) reply();
      (isToken ? tokens : held).push(reply);
    });
    const session = await openSession();
    const { settings } = session.runtime;
    const origin = `http://${server.host}`;
    const stoppers = Array.from({ length: COUNT }, newStop);
    const outcomes: string[] = [];
    const start = (stop?: Stop) =>
      session.run(READ, { stop, settings: { ...settings, url: origin, token_url: `${origin}${TOKEN}` } }).then(
        () => void outcomes.push('done'),
        (thrown: unknown) => void outcomes.push(thrown instanceof Error ? thrown.name : String(thrown)),
      );
    const startAll = () => stoppers.map(({ stop }) => start(stop));
    return { held, tokens, used, server, stoppers, outcomes, start, startAll };
  }

  scenario('stop-one', 'ends its call before any response, and the other calls succeed', async () => {
    const client = await holding();
    const running = client.startAll();
    await until(() => client.held.length === COUNT);
    client.stoppers[CHOSEN]?.now();
    await running[CHOSEN];
    expect(client.outcomes).toEqual(['CancelledError']);
    await until(() => client.server.open() === COUNT - 1);
    for (const reply of client.held.splice(0)) reply();
    await Promise.all(running);
    expect(client.outcomes).toEqual(['CancelledError', ...Array.from({ length: COUNT - 1 }, () => 'done')]);
    // The connections of the other requests and the token stay available for the next requests.
    const before = client.used.size;
    const next = Array.from({ length: COUNT - 1 }, () => client.start());
    await until(() => client.held.length === COUNT - 1);
    for (const reply of client.held) reply();
    await Promise.all(next);
    expect([client.used.size - before, client.tokens.length]).toEqual([0, 1]);
  });

  scenario.each([
    { who: 'the call that requested the token', chosen: 0 },
    { who: 'a call that waits for the token of another', chosen: CHOSEN },
  ])('stop-one', 'ends $who, and the other calls receive the token', async ({ chosen }) => {
    const client = await holding(true);
    const running = client.startAll();
    await until(() => client.tokens.length === 1);
    client.stoppers[chosen]?.now();
    await running[chosen];
    expect(client.outcomes).toEqual(['CancelledError']);
    for (const reply of client.tokens) reply();
    await until(() => client.held.length === COUNT - 1);
    for (const reply of client.held) reply();
    await Promise.all(running);
    expect(client.outcomes.filter((outcome) => outcome === 'done')).toHaveLength(COUNT - 1);
    expect(client.tokens).toHaveLength(1);
  });

  scenario('stop-one', 'stopping all calls ends the token request', async () => {
    const client = await holding(true);
    const running = client.startAll();
    await until(() => client.tokens.length === 1);
    for (const { now } of client.stoppers) now();
    await Promise.all(running);
    expect(client.outcomes).toEqual(Array.from({ length: COUNT }, () => 'CancelledError'));
    await until(() => client.server.open() === 0);
    expect(client.server.open()).toBe(0);
  });
});
