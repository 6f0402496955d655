/** Serves the commands over HTTP until it is stopped. */
import type { FastifyInstance } from 'fastify';
import { newSignal } from '../../client/stop.ts';
import { filesDirectory } from '../../node/files/unfinished.ts';
import { bracketed, ownNames } from '../../node/http/network.ts';
import { endedInTime, untilAborted } from '../../node/system/stop.ts';
import { openService, type ServiceOptions, type ServiceParts } from './open-service.ts';
import { SERVER_LIMITS, type Service } from './service.ts';

export type { ServiceParts } from './open-service.ts';

import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from '../../core/errors.ts';
import { codeText } from '../../node/system/system-error.ts';

export interface ServeOptions extends ServiceOptions {
  /** Address to listen on. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly tls?: TlsFiles | undefined;
  /** Further names that a `Host` header may have. */
  readonly allowHosts: readonly string[];
  /** Time for running work after the signal, in milliseconds. */
  readonly graceMs: number;
}

/** The service is listening. */
export interface Listening {
  /** Such as `http://127.0.0.1:8788`. */
  readonly url: string;
  /** The token created for this start, if any. */
  readonly token: string | undefined;
  /** Logs a browser in once, with the rights of the start's token: `URL/#code=CODE`. */
  readonly code: string | undefined;
}

export interface ServeStreams {
  /** Called once, when requests are answered. */
  readonly onListening: (listening: Listening) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Serves until the signal. @throws UsageError, ConfigurationError, and system errors such as EADDRINUSE */
export async function runService(parts: ServiceParts, options: ServeOptions, streams: ServeStreams): Promise<void> {
  let isReady = false;
  const onListening: ServeStreams['onListening'] = (listening) => {
    isReady = true;
    streams.onListening(listening);
  };
  const work = listening(parts, options, { ...streams, onListening });
  await endedInTime(work, streams.signal, () => (isReady ? options.graceMs + LAST_MS : 0) + LAST_MS);
}

async function listening(parts: ServiceParts, options: ServeOptions, streams: ServeStreams): Promise<void> {
  const { directory, remove } = await filesDirectory(options.client.filesDirectory, 'aisec-serve-');
  const [stopping, halting] = [new AbortController(), newSignal()];
  const limits = { ...SERVER_LIMITS, ...parts.limits };
  const signals = { stopping: stopping.signal, halting: halting.signal };
  try {
    const { service, token, code } = await openService(parts, options, {
      directory,
      limits,
      warn: streams.warn,
      ...signals,
    });
    try {
      const { createApp } = await import('./app.ts');
      const names = [...ownNames(options.host), ...options.allowHosts].map((name) => name.toLowerCase());
      const tls = options.tls === undefined ? undefined : await readTls(options.tls);
      const app = await createApp(service, { names: new Set(names), tls, limits, warn: streams.warn });
      try {
        const url = await listen(app, options);
        streams.onListening({ url, token, code });
        await untilAborted(streams.signal);
        stopping.abort();
        await finish(app, service, halting.abort, options.graceMs);
      } finally {
        await app.close();
      }
    } finally {
      await service.tenants.close();
      await service.audit.close();
    }
  } finally {
    await remove();
  }
}

/** Listens. @returns the service's address */
async function listen(app: FastifyInstance, { host, port, tls }: ServeOptions): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `${tls === undefined ? 'http' : 'https'}://${bracketed(host)}:${bound}`;
}

/** Time for clients to read the last events and responses after work is stopped, in milliseconds. */
const LAST_MS = 500;

/** Lets running work end within a time limit, and stops the rest. Drops requests still without a response. */
async function finish(
  app: FastifyInstance,
  { runs, sessions }: Service,
  halt: () => void,
  graceMs: number,
): Promise<void> {
  const drop = () => app.server.closeAllConnections();
  let timer = setTimeout(() => {
    halt();
    timer = setTimeout(drop, LAST_MS);
  }, graceMs);
  await runs.close(graceMs);
  // An open stream would keep the server from closing. Its readers hear of the ends of the runs first.
  await setImmediate();
  sessions.end();
  await app.close();
  clearTimeout(timer);
}

/** Paths of the PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * Reads certificate and key as PEM strings.
 * @throws ConfigurationError for missing files, or a key that does not match
 */
export async function readTls(files: TlsFiles): Promise<TlsFiles> {
  const texts = { cert: await pem(files.cert), key: await pem(files.key) };
  try {
    createSecureContext(texts);
  } catch (thrown) {
    throw new ConfigurationError(
      `${files.cert} and ${files.key} are not a matching certificate and key${codeText(thrown)}.`,
      { hint: 'Both are PEM; the certificate comes before those of its authorities.' },
    );
  }
  return texts;
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
