/** Serves the commands over HTTP until it is stopped. */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { ClientParts } from '../../client/parts.ts';
import { newSignal } from '../../client/stop.ts';
import type { StartOptions, StopSignal } from '../../client/types.ts';
import type { Registry } from '../../engine/command.ts';
import { ConfigurationError } from '../../engine/errors.ts';
import type { Clock } from '../../engine/ports.ts';
import type { Advice } from '../../engine/runtime.ts';
import { entryOf } from '../../manifest/command-catalogue.ts';
import { declarationsOf } from '../../manifest/describe.ts';
import { nodeClock } from '../../node/clock.ts';
import { filesDirectory } from '../../node/files/files-directory.ts';
import { bracketed, ownNames } from '../../node/own-names.ts';
import { untilAborted } from '../../node/stop.ts';
import { codeText } from '../../node/system-error.ts';
import type { PlaybookText } from '../../playbook/playbook.ts';
import { openAudit } from '../../runs/audit/audit.ts';
import { recordedCalls } from '../../runs/audit/calls.ts';
import { InProcessRuns } from '../../runs/in-process.ts';
import { needsThisProcess } from '../../runs/local.ts';
import { ownerKey, type Runs } from '../../runs/port.ts';
import { TenantSections } from '../../runs/tenant-sections.ts';
import { type FileHints, Tenants } from '../../runs/tenants.ts';
import { namedProfile } from '../../settings/location.ts';
import { authenticatorOf } from './access/authenticate.ts';
import { newRate } from './access/rate.ts';
import { currentRights } from './access/rights-now.ts';
import { slowDownOf } from './access/slow-down.ts';
import { newToken, openTokenFile } from './access/tokens.ts';
import type { AppOptions } from './app.ts';
import { documentsOf } from './documents.ts';
import { newIdempotency } from './idempotency.ts';
import { newMetrics } from './metrics.ts';
import type { Service } from './service.ts';
import { sessionStore } from './sessions.ts';
import { verifierOf } from './verify.ts';
import { workerOf } from './work.ts';

const ADVICE: Advice = {
  settings: 'Set it where the service is started: in its environment or settings file. Or start it with --simulate.',
  time: 'Send "Prefer: respond-async": a run has a day.',
  commands: 'List them with GET /v1/commands.',
};

const FILE_HINTS: FileHints = {
  missing: 'Send it first: POST /v1/files. Its id goes into this argument.',
  full: 'Delete files that are no longer needed: DELETE /v1/files/{id}.',
};

/** Injected parts of the program. */
export interface ServiceParts extends Pick<ClientParts, 'registry' | 'simulated' | 'queue'> {
  readonly version: string;
  readonly playbooks: () => Promise<readonly PlaybookText[]>;
}

export interface ServeOptions {
  /** Address to listen on. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly client: StartOptions;
  /** The file of tokens; without it, `token` is the only one, or one is made for this start. */
  readonly tokensFile?: string | undefined;
  readonly token?: string | undefined;
  /** File for the audit lines; none are written without it. */
  readonly auditFile?: string | undefined;
  /** Files of the certificate and its key. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Further names that a `Host` header may have. */
  readonly allowHosts: readonly string[];
  /** Requests of one token in a minute. */
  readonly rate: number;
  /** Time for running work after the signal, in milliseconds. */
  readonly graceMs: number;
  /** Refuse a Redis that may forget runs. */
  readonly strict?: boolean;
  readonly limits?: Pick<AppOptions, 'headersMs' | 'bodyMs' | 'memoryBytes' | 'streams' | 'connections'>;
}

/** The service is listening. */
export interface Listening {
  /** Such as `http://127.0.0.1:8788`. */
  readonly url: string;
  /** The token that was made for this start. */
  readonly token: string | undefined;
}

export interface ServeStreams {
  /** Called once, when requests are answered. */
  readonly onListening: (listening: Listening) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Serves until the signal. @throws UsageError, ConfigurationError, and system errors such as EADDRINUSE */
export async function serve(parts: ServiceParts, options: ServeOptions, streams: ServeStreams): Promise<void> {
  const { directory, remove } = await filesDirectory(options.client.filesDirectory, 'aisec-serve-');
  try {
    await serveFrom(directory, parts, options, streams);
  } finally {
    await remove();
  }
}

async function serveFrom(directory: string, parts: ServiceParts, options: ServeOptions, streams: ServeStreams) {
  const [stopping, halting] = [new AbortController(), newSignal()];
  const { service, token } = await openService(parts, options, {
    directory,
    stopping: stopping.signal,
    halting: halting.signal,
    ...streams,
  });
  try {
    const { createApp } = await import('./app.ts');
    const app = await createApp(service, {
      names: new Set([...ownNames(options.host), ...options.allowHosts].map((name) => name.toLowerCase())),
      tls: await tlsOf(options),
      ...options.limits,
    });
    try {
      const { host, port } = options;
      await app.listen({ host, port });
      const address = app.server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      const scheme = options.tls === undefined ? 'http' : 'https';
      streams.onListening({ url: `${scheme}://${bracketed(host)}:${bound}`, token });
      await untilAborted(streams.signal);
      stopping.abort();
      await finish(app, service, halting, options.graceMs);
    } finally {
      await app.close();
    }
  } finally {
    await service.tenants.close();
    await service.audit.close();
  }
}

/** Time to read the last events and responses after work was stopped, in milliseconds. */
const LAST_MS = 500;

/** Lets what runs end within a time, and stops the rest. Requests that have no response by then are dropped. */
async function finish(
  app: FastifyInstance,
  { runs }: Service,
  halting: Pick<ReturnType<typeof newSignal>, 'abort'>,
  graceMs: number,
) {
  const drop = () => app.server.closeAllConnections();
  let timer = setTimeout(() => {
    halting.abort();
    timer = setTimeout(drop, LAST_MS);
  }, graceMs);
  await runs.close(graceMs);
  await app.close();
  clearTimeout(timer);
}

interface OpenOptions extends Pick<ServeStreams, 'warn'> {
  readonly directory: string;
  readonly stopping: AbortSignal;
  readonly halting: StopSignal;
}

async function openService(
  { registry, simulated, version, playbooks, queue }: ServiceParts,
  { client: start, tokensFile, token: given, auditFile, rate: most, strict = false }: ServeOptions,
  { directory, stopping, halting, warn }: OpenOptions,
): Promise<{ service: Service; token: string | undefined }> {
  const clock = nodeClock();
  const commands = await declarationsOf(registry);
  const catalogue = commands.map(entryOf);
  const made = tokensFile === undefined && given === undefined ? newToken() : given;
  const metrics = newMetrics(clock);
  const sessions = sessionStore({ registry, catalogue, clock });
  const rate = newRate(most, clock);
  const authenticate = authenticatorOf({
    clock,
    warn,
    ...(tokensFile === undefined ? {} : { file: openTokenFile(tokensFile) }),
    ...(made === undefined ? {} : { once: { token: made, caller: { name: 'start', role: 'admin' } } }),
  });
  const audit = await openAudit(auditFile, { registry, warn });
  const tenants = new Tenants({
    beforeRetry: (owner) => rate.take(ownerKey(owner)),
    parts: { registry, simulated, advice: ADVICE, stopping, ...(queue === undefined ? {} : { queue }) },
    start,
    directory,
    catalogue,
    fileHints: FILE_HINTS,
    wrap: metrics.watch,
    watch: recordedCalls({ audit, registry, clock, checkNow: currentRights(authenticate, catalogue) }),
  });
  tenants.of({ tenant: '' });
  const doWork = workerOf({ registry, tenants, sessions, metrics, clock });
  const service: Service = {
    version,
    registry,
    catalogue,
    playbooks,
    clock,
    authenticate,
    slowDown: slowDownOf(clock),
    rate,
    audit,
    tenants,
    runs: await openRuns(start, registry, new InProcessRuns({ perform: doWork, clock }), {
      ...{ clock, warn, strict, stopping },
    }),
    doWork,
    verify: verifierOf({ tenants, sessions }),
    sessions,
    idempotency: newIdempotency(clock),
    metrics,
    documents: documentsOf(commands, version),
    stopping,
    halting,
  };
  return { service, token: given === undefined ? made : undefined };
}

interface RunParts {
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly strict: boolean;
  readonly stopping: AbortSignal;
}

/** Returns the runs: inside this process, or on the queue but for what needs this process. */
async function openRuns(
  start: StartOptions,
  registry: Registry,
  local: Runs,
  { clock, warn, strict, stopping }: RunParts,
): Promise<Runs> {
  if (start.queue === undefined) return local;
  const { connectQueuedRuns } = await import('../../runs/redis/runs/runs.ts');
  const { profile, environment = {}, simulate = false } = start;
  const sections = new TenantSections(start, stopping);
  return connectQueuedRuns(start.queue, {
    ...{ local, clock, simulates: simulate !== false, warn, strict },
    isLocal: (work) => needsThisProcess(registry, work),
    profile: namedProfile({ path: undefined, profile, environment }) ?? '',
    identityOf: async (tenant) => (await sections.of(tenant)).identity,
  });
}

/** Reads certificate and key. @throws ConfigurationError for files that are missing, or do not fit each other */
async function tlsOf({ tls }: ServeOptions) {
  if (tls === undefined) return undefined;
  const { cert, key } = { cert: await pem(tls.cert), key: await pem(tls.key) };
  try {
    createSecureContext({ cert, key });
  } catch (thrown) {
    throw new ConfigurationError(`${tls.cert} and ${tls.key} are no certificate with its key${codeText(thrown)}.`, {
      hint: 'Both are PEM; the certificate comes before those of its authorities.',
    });
  }
  return { cert, key };
}

async function pem(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new ConfigurationError(`The file ${path} cannot be read${codeText(thrown)}.`, {
      hint: 'Check --tls-cert and --tls-key.',
    });
  }
}
