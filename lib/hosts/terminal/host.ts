/** Dependencies of the terminal host: streams, environment, registry and the simulated service; no globals. */
import type { Readable, Writable } from 'node:stream';
import type { OpenQueue } from '../../client/queue.ts';
import type { Simulate } from '../../client/simulation.ts';
import type { StartOptions } from '../../client/types.ts';
import type { Registry } from '../../engine/command.ts';
import type { Catalogue } from '../../manifest/catalogue.ts';
import type { QueueStatus } from '../../runs/redis/status.ts';

export type TerminalInput = Readable & { isTTY?: boolean | undefined };
export type TerminalOutput = Writable & {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
};
export type Environment = Readonly<Record<string, string | undefined>>;

/** What `aisec mcp` asks for. */
export interface AgentsRequest {
  readonly toolsets: string | undefined;
  readonly tools: string | undefined;
  readonly readOnly: boolean;
  readonly allowSecrets: boolean;
  readonly http: { readonly host: string; readonly port: number; readonly token?: string | undefined } | undefined;
  readonly client: StartOptions;
  /** Tells the person something; stdout belongs to the protocol. */
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What `aisec serve` asks for. */
export interface ServeRequest {
  readonly host: string;
  readonly port: number;
  readonly client: StartOptions;
  readonly tokensFile: string | undefined;
  readonly token: string | undefined;
  readonly auditFile: string | undefined;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly allowHosts: readonly string[];
  readonly rate: number;
  readonly graceMs: number;
  /** Refuse a Redis that may forget runs. */
  readonly strict: boolean;
  readonly onListening: (listening: { readonly url: string; readonly token: string | undefined }) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** What `aisec worker` asks for. */
export interface WorkRequest {
  readonly client: StartOptions;
  readonly queue: QueueAddress;
  readonly profiles: readonly string[];
  readonly profile: string;
  readonly slots: number;
  readonly perSecond: number | undefined;
  readonly graceMs: number;
  /** Refuse a Redis that may forget runs. */
  readonly strict: boolean;
  readonly auditFile: string | undefined;
  readonly onReady: (tenants: readonly string[]) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

type QueueAddress = NonNullable<StartOptions['queue']>;

/** The worker and its queue; injected, because the worker is a host of its own. */
export interface QueueService {
  /** Works until the signal. */
  work(request: WorkRequest): Promise<void>;
  report(queue: QueueAddress): Promise<QueueStatus>;
  /** @param dryRun check that it can be done, and change nothing */
  retry(queue: QueueAddress, id: string, dryRun: boolean): Promise<void>;
  drop(queue: QueueAddress, id: string, dryRun: boolean): Promise<void>;
}

/** Where the tokens of the service are. */
export interface TokensRequest {
  /** Default: `tokens.json` beside the settings file. */
  readonly tokensFile: string | undefined;
  readonly configFile: string | undefined;
  readonly environment: Environment;
  /** Ends the wait for a settings file that is a named pipe. */
  readonly signal: AbortSignal;
}

/** What `aisec serve token` asks for. */
export interface NewTokenRequest extends TokensRequest {
  readonly name: string;
  readonly role: string;
  readonly toolsets: string | undefined;
  readonly profile: string | undefined;
  /** Such as `90d`. */
  readonly expiresIn: string | undefined;
  /** Check the request, and write nothing. */
  readonly dryRun: boolean;
}

/** A token as it is listed: without the token itself. */
export interface ListedToken {
  readonly name: string;
  readonly role: string;
  readonly toolsets?: readonly string[];
  readonly profile?: string;
  readonly created: string;
  readonly expires?: string;
  readonly expired: boolean;
}

/** The host of HTTP; injected, because it is a host of its own. */
export interface HttpService {
  /** Serves until the signal. */
  serve(request: ServeRequest): Promise<void>;
  /** Adds a token to the file. @returns the token, which is kept nowhere, and the path of the file */
  addToken(request: NewTokenRequest): Promise<{ readonly token: string; readonly path: string }>;
  revokeToken(request: TokensRequest & Pick<NewTokenRequest, 'name' | 'dryRun'>): Promise<unknown>;
  listTokens(request: TokensRequest): Promise<readonly ListedToken[]>;
}

export interface TerminalHost {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly registry: Registry;
  /** Loads the catalogue on first use, for help and completion. */
  readonly catalogue: () => Promise<Catalogue>;
  readonly version: string;
  /** Starts this program again, and does not wait for it. Absent: completion is not refreshed. */
  readonly startDetached?: (argv: readonly string[]) => void;
  /** Injected, because `lib/` imports no fixtures. @throws Error for an unknown fault or quirk */
  readonly simulated: Simulate;
  /** Serves the commands to agents until the signal; injected, because it is a host of its own. */
  readonly serveAgents?: (request: AgentsRequest) => Promise<void>;
  readonly httpService?: HttpService;
  /** Opens the queue for bulk work. */
  readonly queue?: OpenQueue;
  readonly queueService?: QueueService;
}

/** Tells whether a person types the command line and reads the results: then names stand for ids. */
export function isInteractive({ stdin, stdout }: TerminalHost): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
