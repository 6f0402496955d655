/** A scanner on loopback that follows simple rules, the service in front of it, and streams to guard. */
import { type ClientRequest, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../../support/machine.ts';
import { type Got, type Options, type Server, start, startBriefly, TOKEN, type Told } from '../support.ts';

/** One scan that the scanner received. */
export interface Scan {
  readonly kind: 'prompt' | 'response' | 'tool_event';
  readonly text: string;
  readonly body: string;
  /** Key of the tenant. */
  readonly key: string;
}

export interface Scanner {
  readonly scans: readonly Scan[];
  /** Scans whose caller disconnected before the answer. */
  readonly left: readonly string[];
  /** Client settings. */
  readonly settings: { readonly scanner_base_url: string; readonly runtime_api_key: string };
  close(): Promise<void>;
}

/** The text decides the answer: BAD is blocked, CARD is masked, DOWN fails, HALF is incomplete, HANG is never answered. */
export async function scanner(): Promise<Scanner> {
  const scans: Scan[] = [];
  const left: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const scan = scanIn(body, String(request.headers['x-pan-token']));
      scans.push(scan);
      response.on('close', () => {
        if (!response.writableFinished) left.push(scan.text);
      });
      if (scan.text.includes('HANG')) return;
      const isDown = scan.text.includes('DOWN');
      response.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isDown ? { error: 'down' } : verdictOf(scan)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    scans,
    left,
    settings: { scanner_base_url: `http://127.0.0.1:${port}`, runtime_api_key: 'key-of-the-tests' },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function scanIn(body: string, key: string): Scan {
  const { contents } = JSON.parse(body) as { contents: Record<string, unknown>[] };
  const [content = {}] = contents;
  const kind = (['prompt', 'response', 'tool_event'] as const).find((each) => content[each] !== undefined) ?? 'prompt';
  const given = content[kind];
  return { kind, text: typeof given === 'string' ? given : JSON.stringify(given), body, key };
}

function verdictOf({ kind, text, body }: Scan): object {
  const [isBad, isCard] = [text.includes('BAD'), text.includes('CARD')];
  const detected = { ...(isBad ? { injection: true, unheard_of: true } : {}), ...(isCard ? { dlp: true } : {}) };
  const { profile_name } = (JSON.parse(body) as { ai_profile: { profile_name: string } }).ai_profile;
  return {
    action: isBad || isCard ? 'block' : 'allow',
    category: isBad || isCard ? 'malicious' : 'benign',
    profile_name,
    scan_id: '00000000-0000-4000-8000-000000000001',
    report_id: 'R00000000-0000-4000-8000-000000000001',
    timeout: text.includes('HALF'),
    error: false,
    ...(kind === 'tool_event' ? { tool_detected: { summary: { detections: detected } } } : {}),
    [`${kind}_detected`]: detected,
    ...(isCard ? { [`${kind}_masked_data`]: { data: text.replaceAll('CARD', 'XXXX') } } : {}),
  };
}

/** Options of a service in front of a scanner. */
export function guarding(service: Scanner, { client = {}, limits, ...options }: Options = {}): Options {
  return {
    ...options,
    // Only a test about time may see a time limit pass.
    limits: { guardScanMs: 600_000, ...limits },
    client: { simulate: false, environment: {}, settings: service.settings, ...client },
  };
}

/** Starts a service in front of a scanner; it ends with the test. */
export const guarded = (service: Scanner, options?: Options) => startBriefly(guarding(service, options));

/** Starts a scanner and the service in front of it for the tests of a file, and closes both afterwards. */
export function guardedForAll(): { readonly service: Scanner; readonly server: Server } {
  const all = {} as { service: Scanner; server: Server };
  beforeAll(async () => {
    all.service = await scanner();
    all.server = await start(guarding(all.service));
  });
  afterAll(async () => {
    await all.server.close();
    await all.service.close();
  });
  return all;
}

/** Parses events. Only CR and LF end a line: a text may contain every other separator. */
function eventsIn(text: string): Omit<Told, 'id'>[] {
  return text
    .split('\n\n')
    .map((block) => block.split('\n'))
    .filter((lines) => lines.some((line) => line.startsWith('data: ')))
    .map((lines) => {
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      return { event: field('event'), data: JSON.parse(field('data')) };
    });
}

/** Requests one decision. */
export function ask(server: Server, kind: string, body: unknown, sent: { token?: string } = {}): Promise<Got> {
  return server.send(`/v1/guard/${kind}`, { method: 'POST', body, ...sent });
}

/** An open stream. */
export interface Streaming {
  readonly request: ClientRequest;
  /** Status of the response; undefined until it arrives. */
  status(): number | undefined;
  /** All received text. */
  text(): string;
  events(): Omit<Told, 'id'>[];
  /** Sends a piece. */
  say(text: string): void;
  /** Ends the request, and waits for the end of the response. */
  end(): Promise<void>;
  /** Waits for the end of the response or of the connection. */
  readonly closed: Promise<void>;
  /** Joins the released texts. */
  shown(): string;
}

/** Opens a stream. */
export function stream(
  server: Server,
  { query = 'profile=prod', headers = {}, token = TOKEN }: { query?: string; headers?: object; token?: string } = {},
): Streaming {
  let response: IncomingMessage | undefined;
  let text = '';
  const request = httpRequest(new URL(`/v1/guard/stream?${query}`, server.url), {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/event-stream', ...headers },
  });
  const closed = new Promise<void>((resolve) => {
    request.on('response', (got) => {
      response = got;
      got.setEncoding('utf8');
      got.on('data', (chunk: string) => {
        text += chunk;
      });
      got.on('error', () => resolve());
      got.on('close', () => resolve());
    });
    request.on('error', () => resolve());
  });
  const events = () => eventsIn(text);
  request.flushHeaders();
  return {
    request,
    closed,
    events,
    status: () => response?.statusCode,
    text: () => text,
    say: (piece) => request.write(`data: ${JSON.stringify({ text: piece })}\n\n`),
    end: async () => {
      request.end('event: end\ndata: {}\n\n');
      await closed;
    },
    shown: () =>
      events()
        .filter(({ event }) => event === '')
        .map(({ data }) => String(data.text))
        .join(''),
  };
}

/** Waits until a stream has received its head. */
export async function answered(open: Streaming): Promise<Streaming> {
  await until(() => open.status() !== undefined);
  return open;
}
