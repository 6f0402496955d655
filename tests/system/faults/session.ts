/** Runs commands over real sockets: the simulated service as a server, the transport of a terminal, two clocks. */

import { registry } from '../../../commands/index.ts';
import { startServer } from '../../../fixtures/service/server.ts';
import { createService } from '../../../fixtures/service/service.ts';
import type { Service, ServiceOptions, ServiceRequest } from '../../../fixtures/service/types.ts';
import { parseLine } from '../../../lib/arguments/argv.ts';
import { runtimeOf } from '../../../lib/client/runtime.ts';
import type { Runtime } from '../../../lib/core/runtime.ts';
import { dispatch } from '../../../lib/engine/dispatch.ts';
import type { Result } from '../../../lib/output/result.ts';
import { resolveSettings } from '../../../lib/settings/settings.ts';
import { type NodeTransportOptions, nodeTransport } from '../../../lib/transport/node.ts';
import { memoryFiles } from '../../support/files.ts';
import { machineClock, until } from '../../support/machine.ts';
import { ADVICE, silent } from '../../support/simulated.ts';

export interface Session {
  /** Runs a line. */
  run(line: string, overrides?: Partial<Runtime>): Promise<Result>;
  /** Requests that reached the service under this path. */
  reached(path: string): ServiceRequest[];
  /** Options of a test: the difference of the two clocks in milliseconds, and the responses of the service. */
  readonly now: { client: number; service: number; answer: Service['handle'] };
  /** Durations of the client's waits, in milliseconds; they take no time. */
  readonly waits: number[];
  readonly service: Service;
  readonly runtime: Runtime;
  /** Ends the client's connections. */
  close(): Promise<void>;
  /** Host and port of the service. */
  readonly host: string;
  /** Waits until no more connections than that are open. @returns the number that are open */
  connections(most: number): Promise<number>;
}

interface SessionOptions extends ServiceOptions {
  readonly transport?: Partial<NodeTransportOptions>;
}

const closers: (() => Promise<void>)[] = [];

/** Registers a hook that closes the sessions and checks that no connection is left; call it once in a test file. */
export function closeSessionsAfterEach(): void {
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
  });
}

/** Starts the simulated service behind a server, and a client of it. */
export async function openSession({ transport: overrides, ...options }: SessionOptions = {}): Promise<Session> {
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
