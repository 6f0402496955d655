/** The service on a loopback port, on the simulated tenant, and requests to it over real sockets. */

import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { simulated } from '../../../bin/simulated.ts';
import { PROGRAM } from '../../../bin/subcommands.ts';
import { registry } from '../../../commands/index.ts';
import type { StartOptions } from '../../../lib/client/types.ts';
import { type NewToken, openTokenFile } from '../../../lib/hosts/http/access/tokens.ts';
import { type Listening, runService, type ServeOptions, type ServiceParts } from '../../../lib/hosts/http/main.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TEST_TIME } from '../../support/simulated.ts';

const PLAYBOOKS = join(import.meta.dirname, '..', '..', '..', 'lib', 'manifest', 'assets', 'playbooks');

const DOCUMENT = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'api', 'openapi.json'), 'utf8');

/** The modules of the program. */
export const parts: ServiceParts = {
  registry,
  simulated,
  version: '0.0.0',
  reportPages: PROGRAM.reportPages,
  openApi: async () => DOCUMENT,
  playbooks: async () => [{ name: 'scan-prompt', text: readFileSync(join(PLAYBOOKS, 'scan-prompt.yml'), 'utf8') }],
};

/** The administrator's token, unless a test has a token file. */
export const TOKEN = 'token-of-the-tests';

export interface Sent {
  readonly method?: string;
  /** Undefined omits the header. Default: the administrator's. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; a string or bytes are sent unchanged. */
  readonly body?: unknown;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: Body;
}

// Tests read members of many kinds of documents.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Body = any;

export interface Server {
  readonly url: string;
  readonly port: number;
  /** The folder for files. */
  readonly folder: string;
  /** What it told the person who started it. */
  readonly listening: Listening;
  readonly warnings: readonly string[];
  send(path: string, sent?: Sent): Promise<Got>;
  /** Runs a command. */
  run(command: string, args?: object, sent?: Sent & { query?: string }): Promise<Got>;
  /** Ends the service as a signal does. */
  close(): Promise<void>;
}

export type Options = Partial<Omit<ServeOptions, 'client'>> & {
  readonly client?: Partial<StartOptions>;
  readonly parts?: Partial<ServiceParts>;
  readonly limits?: ServiceParts['limits'];
  /** Called with each response. */
  readonly onResponse?: (method: string, path: string, got: Got) => void;
};

/** Services that end with the current test. */
const brief: Server[] = [];
afterEach(async () => {
  for (const server of brief.splice(0)) await server.close();
});

/** Starts a service that ends with the test or earlier. */
export async function startBriefly(options?: Options): Promise<Server> {
  const server = await start(options);
  brief.push(server);
  return server;
}

/** Starts a service for all tests of a file or block. @param optionsOf called before the first test */
export function startForAll(optionsOf: () => Options | Promise<Options> = () => ({})): Server {
  const server = {} as Server;
  beforeAll(async () => {
    Object.assign(server, await start(await optionsOf()));
  });
  afterAll(() => server.close());
  return server;
}

/** Creates a token file. @param wanted the role or the properties of each token, by name */
export async function tokensOf<Name extends string>(wanted: Readonly<Record<Name, string | Omit<NewToken, 'name'>>>) {
  const file = openTokenFile(join(temporaryFolder('tokens'), 'tokens.json'));
  const made = new Map<string, string>();
  for (const [name, more] of Object.entries<string | Omit<NewToken, 'name'>>(wanted)) {
    const { token } = await file.add({ name, ...(typeof more === 'string' ? { role: more } : more) });
    made.set(name, token);
  }
  return { file, tokensFile: file.path, as: (name: Name) => ({ token: made.get(name) ?? '' }) };
}

/** A playbook with one task. */
export function playbookOf(command: string, args: Readonly<Record<string, unknown>> = {}): string {
  const named = Object.entries(args).map(([name, value]) => [name, { simple: value }]);
  const run = { id: '1', type: 'regular', task: { name: 'Run', script: `|||${command}`, iscommand: true } };
  const begin = { id: '0', type: 'start', task: { name: '' }, nexttasks: { '#none#': ['1'] } };
  const tasks = { 0: begin, 1: { ...run, scriptarguments: Object.fromEntries(named) } };
  return JSON.stringify({ name: 'One task', starttaskid: '0', tasks });
}

/** Starts a service. */
export async function start(options: Options = {}): Promise<Server> {
  const { client = {}, parts: own = {}, limits, onResponse, ...others } = options;
  const folder = client.filesDirectory ?? temporaryFolder('service');
  const ending = new AbortController();
  const warnings: string[] = [];
  let served: Promise<void> = Promise.resolve();
  const listening = await new Promise<Listening>((resolve, reject) => {
    served = runService(
      // The test process is larger than a service process.
      { ...parts, limits: { memoryBytes: 16e9, ...limits }, ...own },
      {
        host: '127.0.0.1',
        port: 0,
        allowHosts: [],
        rate: 100_000,
        graceMs: 1000,
        ...('tokensFile' in options ? {} : { token: TOKEN }),
        ...others,
        client: { simulate: { now: TEST_TIME }, filesDirectory: folder, ...client },
      },
      { onListening: resolve, warn: (message) => warnings.push(message), signal: ending.signal },
    );
    served.catch(reject);
  });
  const { url } = listening;
  const send: Server['send'] = async (path, sent = {}) => {
    const got = await exchange(new URL(path, url), sent);
    onResponse?.(sent.method ?? 'GET', path, got);
    return got;
  };
  return {
    url,
    port: Number(new URL(url).port),
    folder,
    listening,
    warnings,
    send,
    run: (command, args = {}, { query = '', ...sent } = {}) =>
      send(`/v1/commands/${command}${query}`, { method: 'POST', body: args, ...sent }),
    close: async () => {
      ending.abort();
      await served;
    },
  };
}

/** Sends one request, and reads the whole response. */
export async function exchange(url: URL, { method = 'GET', headers = {}, body, ...sent }: Sent): Promise<Got> {
  const token = 'token' in sent ? sent.token : TOKEN;
  const all: Record<string, string | undefined> = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new Promise((resolve, reject) => {
    const asked = httpRequest(url, { method, headers: Object.fromEntries(given), agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
      });
    });
    asked.on('error', reject);
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    asked.end(isRaw ? body : JSON.stringify(body));
  });
}

/** Checks that a member is a list. */
export function list(value: unknown): readonly Body[] {
  if (Array.isArray(value)) return value;
  throw new Error(`This is no list: ${JSON.stringify(value)}`);
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One event in a stream. */
export interface Told {
  readonly id: number;
  readonly event: string;
  readonly data: Body;
}

/** Parses the events in a text. */
export function eventsIn(text: string): Told[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      return { id: Number(field('id')), event: field('event'), data: JSON.parse(field('data')) };
    });
}
