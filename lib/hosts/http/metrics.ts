/** Measurements for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ClientParts } from '../../client/open.ts';
import { AisecError } from '../../core/errors.ts';
import type { Settings } from '../../core/parameters.ts';
import type { Clock, HttpRequest } from '../../core/ports.ts';
import { PLANES, type Plane } from '../../core/wire.ts';
import type { Decision } from '../../guard/types.ts';
import type { RunCounts } from '../../runs/port.ts';
import { DETECTORS } from '../../runtime/output/detectors.ts';

/** Histogram bucket bounds, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Labels. */
const REQUEST = ['method', 'route', 'status'] as const;
const PLANE = ['tenant', 'plane'] as const;
const DECISION = ['kind', 'action'] as const;

/** Detectors used as labels, also for responses: any other name in a response becomes `other`. */
const DETECTOR_LABELS: ReadonlySet<string> = new Set([...DETECTORS, 'db_security', 'ungrounded']);

/** The measurements of one service. */
export class Metrics {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #register = new Registry();
  readonly #requests = this.#counter('http_requests_total', 'Requests that were answered.', REQUEST);
  readonly #requestSeconds = this.#histogram('http_request_seconds', 'Time to answer a request.', ['route']);
  readonly #commands = this.#counter('commands_total', 'Commands that have ended.', ['command', 'outcome']);
  readonly #commandSeconds = this.#histogram('command_seconds', 'Time of a command.', ['command']);
  readonly #upstream = this.#counter('upstream_requests_total', 'Requests to the service.', [...PLANE, 'status']);
  readonly #upstreamSeconds = this.#histogram('upstream_seconds', 'Time of a request to the service.', PLANE);
  readonly #upstreamErrors = this.#counter('upstream_errors_total', 'Requests to the service without a response.', [
    ...PLANE,
    'code',
  ]);
  readonly #retries = this.#counter('upstream_retries_total', 'Requests that were sent once more.', PLANE);
  readonly #tokens = this.#counter('tokens_fetched_total', 'Access tokens that were fetched.', ['tenant']);

  readonly #decisions = this.#counter('guard_decisions_total', 'Decisions of the guard.', DECISION);
  readonly #detections = this.#counter('guard_detections_total', 'Detectors that fired, by decision.', [
    ...DECISION,
    'detector',
  ]);
  readonly #unscanned = this.#counter('guard_unscanned_total', 'Decisions without a complete verdict.', [
    ...DECISION,
    'cause',
  ]);
  readonly #decisionSeconds = this.#histogram('guard_decision_seconds', 'Time of a decision.', ['kind']);
  readonly #heldSeconds = this.#histogram('guard_held_seconds', 'Time that a piece of a stream was held back.', []);

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
    collectDefaultMetrics({ register: this.#register });
  }

  get contentType(): string {
    return this.#register.contentType;
  }

  /** Returns all measurements in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#register.metrics();
  }

  /** Counts an answered request. @param route its pattern, such as `/v1/runs/:id` */
  answered(request: { method: string; route: string; status: number; milliseconds: number }): void {
    const { method, route, status, milliseconds } = request;
    this.#requests.inc({ method, route, status });
    this.#requestSeconds.observe({ route }, milliseconds / 1000);
  }

  /** Counts an ended command. @param outcome `done`, `partial`, or the code of its error */
  ran(command: string, outcome: string, milliseconds: number): void {
    this.#commands.inc({ command, outcome });
    this.#commandSeconds.observe({ command }, milliseconds / 1000);
  }

  /** Counts a decision of the guard. Each window of a stream counts as one. */
  decided({ kind, action, verdict, unscanned, ms }: Decision): void {
    this.#decisions.inc({ kind, action });
    this.#decisionSeconds.observe({ kind }, ms / 1000);
    if (unscanned !== undefined) this.#unscanned.inc({ kind, action, cause: unscanned });
    const detectors = (verdict?.detectors ?? []).map((name) => (DETECTOR_LABELS.has(name) ? name : 'other'));
    for (const detector of new Set(detectors)) this.#detections.inc({ kind, action, detector });
  }

  /** Records a released piece of a guarded stream. */
  held(milliseconds: number): void {
    this.#heldSeconds.observe({}, milliseconds / 1000);
  }

  /** Wraps the transport of a tenant. */
  watch(profile: string): NonNullable<ClientParts['wrap']> {
    const tenant = profile === '' ? 'default' : profile;
    return (transport, settings) => {
      // All attempts of one request share one headers object.
      const seen = new WeakSet<HttpRequest['headers']>();
      return {
        send: async (request) => {
          const labels = { tenant, plane: planeOf(request.url, settings) };
          if (seen.has(request.headers)) this.#retries.inc(labels);
          seen.add(request.headers);
          if (labels.plane === 'token') this.#tokens.inc({ tenant });
          const since = this.#clock.elapsed();
          try {
            const response = await transport.send(request);
            this.#upstream.inc({ ...labels, status: response.status });
            return response;
          } catch (thrown) {
            this.#upstreamErrors.inc({ ...labels, code: thrown instanceof AisecError ? thrown.code : 'error' });
            throw thrown;
          } finally {
            this.#upstreamSeconds.observe(labels, (this.#clock.elapsed() - since) / 1000);
          }
        },
      };
    };
  }

  /** Adds the gauges that are read for each report. */
  read(
    runs: () => Promise<RunCounts>,
    sessions: () => number,
    streams: { readonly events: () => number; readonly guarded: () => number },
  ): void {
    this.#gauge('runs_running', 'Runs that are being worked on.', async () => (await runs()).running);
    this.#gauge('queue_depth', 'Runs that wait for their turn.', async () => (await runs()).queued);
    this.#gauge(
      'queue_oldest_seconds',
      'Age of the oldest run that waits.',
      async () => (await runs()).oldestMs / 1000,
    );
    this.#gauge('workers', 'Processes that work on runs.', async () => (await runs()).workers);
    this.#gauge('sessions', 'Sessions that are open.', sessions);
    this.#gauge('event_streams', 'Streams of events that are open.', streams.events);
    this.#gauge('guard_streams', 'Guarded streams that are open.', streams.guarded);
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: `aisec_${name}`, help, labelNames: [...labelNames], registers: [this.#register] });
  }

  #histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Histogram<Label> {
    const registers = [this.#register];
    return new Histogram({ name: `aisec_${name}`, help, labelNames: [...labelNames], buckets: BUCKETS, registers });
  }

  #gauge(name: string, help: string, count: () => number | Promise<number>): void {
    const registers = [this.#register];
    new Gauge({
      ...{ name: `aisec_${name}`, help, registers },
      async collect() {
        this.set(await count());
      },
    });
  }
}

/** @returns `token` for an access token request, `other` for a URL outside the settings */
export function planeOf(url: string, settings: Settings): Plane | 'token' | 'other' {
  if (url.startsWith(settings.token_url)) return 'token';
  const starts = (Object.entries(PLANES) as [Plane, (typeof PLANES)[Plane]][]).flatMap(([plane, { base, prefix }]) => {
    const address = (settings[base] ?? '').replace(/\/+$/, '');
    const start = address.endsWith(prefix) ? address : address + prefix;
    return address !== '' && url.startsWith(start) ? [{ plane, length: start.length }] : [];
  });
  return starts.sort((one, other) => other.length - one.length)[0]?.plane ?? 'other';
}
