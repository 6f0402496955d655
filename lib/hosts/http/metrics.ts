/** Measurements for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { planeOf } from '../../api/plane-of.ts';
import type { ClientParts } from '../../client/parts.ts';
import { AisecError } from '../../engine/errors.ts';
import type { Clock, HttpRequest } from '../../engine/ports.ts';
import type { RunCounts } from '../../runs/port.ts';

/** Bounds of the histograms, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Counts that are read when somebody asks. */
export interface Gauges {
  readonly runs: () => Promise<RunCounts>;
  readonly sessions: () => number;
  readonly streams: () => number;
}

export interface Metrics {
  /** A request has been answered. @param route its pattern, such as `/v1/runs/:id` */
  answered(request: { method: string; route: string; status: number; milliseconds: number }): void;
  /** A command has ended. @param outcome `done`, `partial`, or the code of its error */
  ran(command: string, outcome: string, milliseconds: number): void;
  /** Wraps the transport of a tenant. */
  watch(tenant: string): NonNullable<ClientParts['wrap']>;
  /** Adds the counts that are read when somebody asks. */
  read(gauges: Gauges): void;
  readonly contentType: string;
  /** Returns all measurements in the text format of Prometheus. */
  text(): Promise<string>;
}

/** Creates the measurements of one service. */
export function newMetrics(clock: Pick<Clock, 'elapsed'>): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const registers = [register];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `aisec_${name}`, help, labelNames: [...labelNames], registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram({ name: `aisec_${name}`, help, labelNames: [...labelNames], buckets: BUCKETS, registers });

  const requests = counter('http_requests_total', 'Requests that were answered.', ['method', 'route', 'status']);
  const requestSeconds = histogram('http_request_seconds', 'Time to answer a request.', ['route']);
  const commands = counter('commands_total', 'Commands that have ended.', ['command', 'outcome']);
  const commandSeconds = histogram('command_seconds', 'Time of a command.', ['command']);
  const upstream = counter('upstream_requests_total', 'Requests to the service.', ['tenant', 'plane', 'status']);
  const upstreamSeconds = histogram('upstream_seconds', 'Time of a request to the service.', ['tenant', 'plane']);
  const upstreamErrors = counter('upstream_errors_total', 'Requests to the service without a response.', [
    'tenant',
    'plane',
    'code',
  ]);
  const retries = counter('upstream_retries_total', 'Requests that were sent once more.', ['tenant', 'plane']);
  const tokens = counter('tokens_fetched_total', 'Access tokens that were fetched.', ['tenant']);
  const seconds = (since: number) => (clock.elapsed() - since) / 1000;

  return {
    answered: ({ method, route, status, milliseconds }) => {
      requests.inc({ method, route, status });
      requestSeconds.observe({ route }, milliseconds / 1000);
    },
    ran: (command, outcome, milliseconds) => {
      commands.inc({ command, outcome });
      commandSeconds.observe({ command }, milliseconds / 1000);
    },
    watch: (profile) => (transport, settings) => {
      const tenant = profile === '' ? 'default' : profile;
      // All attempts of one request share the object of its headers.
      const seen = new WeakSet<HttpRequest['headers']>();
      return {
        send: async (request) => {
          const labels = { tenant, plane: planeOf(request.url, settings) };
          if (seen.has(request.headers)) retries.inc(labels);
          seen.add(request.headers);
          if (labels.plane === 'token') tokens.inc({ tenant });
          const since = clock.elapsed();
          try {
            const response = await transport.send(request);
            upstream.inc({ ...labels, status: response.status });
            return response;
          } catch (thrown) {
            upstreamErrors.inc({ ...labels, code: thrown instanceof AisecError ? thrown.code : 'error' });
            throw thrown;
          } finally {
            upstreamSeconds.observe(labels, seconds(since));
          }
        },
      };
    },
    read: ({ runs, sessions, streams }) => {
      const gauge = (name: string, help: string, count: () => number | Promise<number>) =>
        new Gauge({
          name: `aisec_${name}`,
          help,
          registers,
          async collect() {
            this.set(await count());
          },
        });
      gauge('runs_running', 'Runs that are being worked on.', async () => (await runs()).running);
      gauge('queue_depth', 'Runs that wait for their turn.', async () => (await runs()).queued);
      gauge('queue_oldest_seconds', 'Age of the oldest run that waits.', async () => (await runs()).oldestMs / 1000);
      gauge('workers', 'Processes that work on runs.', async () => (await runs()).workers);
      gauge('sessions', 'Sessions that are open.', sessions);
      gauge('event_streams', 'Streams of events that are open.', streams);
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
