/**
 * A client of the protocol's own library, connected to the server inside this process, on a service whose requests are
 * recorded.
 */
import { PassThrough } from 'node:stream';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { simulated } from '../../../bin/simulated.ts';
import { registry } from '../../../commands/index.ts';
import type { Service, ServiceRequest } from '../../../fixtures/service/types.ts';
import type { Simulate } from '../../../lib/client/simulation.ts';
import { type AgentOptions, type AgentParts, serveAgents } from '../../../lib/hosts/mcp/main.ts';
import type { HttpOptions } from '../../../lib/hosts/mcp/serve-http.ts';
import { catalogueOf } from '../../../lib/manifest/describe.ts';
import { simulatedTransport } from '../../../lib/runtime/transport/simulated.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { lineService } from '../../support/lines.ts';
import { TEST_TIME } from '../../support/simulated.ts';

/** The two versions of the protocol. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

let catalogue: ReturnType<typeof catalogueOf> | undefined;

/** The modules of the program. */
export const parts: AgentParts = {
  registry,
  simulated,
  version: '0.0.0',
  catalogue: () => {
    catalogue ??= catalogueOf(registry);
    return catalogue;
  },
  playbooks: () => Promise.resolve([{ name: 'scan-prompt', text: 'id: scan-prompt\n' }]),
};

export interface ConnectionOptions extends Partial<Omit<AgentOptions, 'http'>> {
  readonly era?: Era;
  /** Timer for progress messages, instead of the real one. */
  readonly later?: AgentParts['later'];
  /** Capabilities of the client, which answers elicitations with `answer`. */
  readonly capabilities?: ClientOptions['capabilities'];
  /** The person's answer to a question; undefined declines. */
  readonly answer?: Readonly<Record<string, unknown>> | undefined;
  /** Parts that replace the program's own, such as a recorded service. */
  readonly parts?: Partial<AgentParts>;
}

export interface Connection {
  readonly client: Client;
  /** Calls a tool. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Called>;
  /** Questions that the person received. */
  readonly asked: readonly string[];
  /** The folder for files. */
  readonly folder: string;
  close(): Promise<void>;
}

/** A tool's answer. */
export interface Called {
  readonly isError: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
  /** The texts of the content, one per line. */
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

const open: Connection[] = [];

/** Registers a hook that closes the connections; call it once per test file. */
export function closeConnectionsAfterEach(): void {
  afterEach(async () => {
    for (const connection of open.splice(0)) await connection.close();
  });
}

/** Starts a server on the simulated service, whose time passes only during waits, and connects a client. */
export async function connect(options: ConnectionOptions = {}): Promise<Connection> {
  const {
    era = '2026-07-28',
    capabilities = {},
    answer,
    client: more = {},
    later,
    parts: own = {},
    ...others
  } = options;
  const folder = more.filesDirectory ?? temporaryFolder('agents');
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const ending = new AbortController();
  const asked: string[] = [];
  const served = serveAgents(
    { ...parts, ...own, later },
    {
      readOnly: false,
      allowSecrets: false,
      ...others,
      client: { simulate: { now: TEST_TIME }, filesDirectory: folder, ...more },
    },
    { stdin: toServer, stdout: toClient, note: () => undefined, signal: ending.signal },
  );
  const client = newClient(era, capabilities);
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return answer === undefined ? { action: 'decline' } : { action: 'accept', content: answer as never };
    });
  }
  // A server's transport reads and writes lines, so it also serves the other end.
  await client.connect(new StdioServerTransport(toClient, toServer));
  const connection: Connection = {
    client,
    call: (name, args) => callTool(client, name, args),
    asked,
    folder,
    close: async () => {
      await client.close();
      ending.abort();
      await served;
    },
  };
  open.push(connection);
  return connection;
}

function newClient(era: Era, capabilities: NonNullable<ClientOptions['capabilities']> = {}): Client {
  return new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  );
}

/** Calls a tool. @param options such as a signal, or what to do with progress */
export async function callTool(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  options: Parameters<Client['callTool']>[1] = {},
): Promise<Called> {
  const result = await client.callTool({ name, arguments: { ...args } }, options);
  const content = result.content as Called['content'];
  return {
    isError: result.isError === true,
    content,
    text: content.map(({ text = '' }) => text).join('\n'),
    structured: (result.structuredContent ?? {}) as Called['structured'],
  };
}

/** A server on a loopback port. */
export interface HttpServer {
  readonly url: URL;
  readonly token: string;
  /** Connects a client. */
  connect(era: Era): Promise<Client>;
  close(): Promise<void>;
}

/** Servers that end with the current test. */
const brief: HttpServer[] = [];
afterEach(async () => {
  for (const server of brief.splice(0)) await server.close();
});

/** Starts a server over HTTP that ends with the test or earlier. */
export async function listenBriefly(options: Parameters<typeof listen>[0]): Promise<HttpServer> {
  const server = await listen(options);
  brief.push(server);
  return server;
}

/** Starts a server over HTTP on the simulated service; the test closes it. */
export async function listen({
  client = {},
  headersMs,
  port = 0,
  ...others
}: Partial<Omit<AgentOptions, 'http'>> & Partial<Pick<HttpOptions, 'headersMs' | 'port'>> = {}): Promise<HttpServer> {
  const token = 'token-of-the-tests';
  const ending = new AbortController();
  const clients: Client[] = [];
  let served: Promise<void> = Promise.resolve();
  const note = await new Promise<string>((resolve, reject) => {
    served = serveAgents(
      parts,
      {
        readOnly: false,
        allowSecrets: false,
        ...others,
        http: { host: '127.0.0.1', port, token, ...(headersMs === undefined ? {} : { headersMs }) },
        client: { simulate: { now: TEST_TIME }, filesDirectory: temporaryFolder('agents'), ...client },
      },
      { stdin: new PassThrough(), stdout: new PassThrough(), note: resolve, signal: ending.signal },
    );
    served.catch(reject);
  });
  const url = new URL(/http:\S+/.exec(note)?.[0] ?? note);
  return {
    url,
    token,
    connect: async (era) => {
      const made = newClient(era);
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await made.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      clients.push(made);
      return made;
    },
    close: async () => {
      for (const each of clients) await each.close();
      ending.abort();
      await served;
    },
  };
}

const INSIDE = 'http://localhost';

/** A request, without its host. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface Watched {
  /** Replaces the program's own service. */
  readonly simulated: Simulate;
  /** Requests that reached the service, except token requests. */
  readonly seen: SeenRequest[];
  /** Resets the service to its initial state, and clears the recorded requests. */
  renew(): void;
}

/** Records the requests to a service. @param create creates the service; default: one on which every line succeeds */
export function watched(create: () => Pick<Service, 'handle' | 'settings'> = lineService): Watched {
  let service = create();
  const seen: SeenRequest[] = [];
  const handle: Service['handle'] = (request, clock) => {
    const path = pathOf(request);
    if (!path.startsWith('/oauth2/')) seen.push({ method: request.method, path, body: request.body });
    return service.handle(request, clock);
  };
  return {
    seen,
    renew: () => {
      service = create();
      seen.splice(0);
    },
    simulated: async () => ({
      transport: (clock, host) => simulatedTransport(handle, clock, host),
      settings: () => service.settings(INSIDE),
      serve: async () => {
        throw new Error('nothing to serve');
      },
    }),
  };
}

function pathOf({ url }: ServiceRequest): string {
  return new URL(url, INSIDE).pathname;
}

/** Characters that form images and links in a markdown client. */
const MARKUP = /[[\]]|<[a-z/!?]|:\/\/|www\./gi;

/** Lists brackets, tags and addresses that are not escaped. */
export function liveMarkup(text: string): readonly string[] {
  const found: string[] = [];
  for (const { 0: sign, index } of text.matchAll(MARKUP)) {
    const [behind = ''] = /\\*$/.exec(text.slice(0, index)) ?? [];
    if (behind.length % 2 === 0) found.push(`${sign} in ${text.slice(Math.max(0, index - 20), index + 20)}`);
  }
  return found;
}
