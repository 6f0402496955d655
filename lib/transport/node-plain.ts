/**
 * Text for text over Node's own HTTP: what nearly every request is. It is there at once, where `fetch` first loads a parser that V8
 * goes on compiling while the program would end; docs/benchmarks.md says what that costs.
 */
import type { Agent, ClientRequest, IncomingMessage, request as Request } from 'node:http';
import type { Readable } from 'node:stream';
import type { HttpResponse } from '../ports.ts';
import { tooLarge } from './failures.ts';
import { lazy } from './lazy.ts';
import type { Carrier, Errand } from './node-carrier.ts';
import { isPacked, unpacked } from './node-decode.ts';

/** Kept connections are given up before servers usually do: one that closes while a request sets out would lose it. */
const IDLE_MS = 4000;
const KEPT = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const;
/** What a text may be compressed with. */
const ENCODINGS = 'gzip, deflate, br';

interface Wire {
  readonly module: { readonly request: typeof Request };
  readonly agent: Agent;
}

/** @param insecure accept any certificate of the service */
export function plainCarrier(insecure: boolean): Carrier {
  const plain = lazy(openPlain);
  const secure = lazy(() => openSecure(insecure));
  return {
    async carry(request, errand) {
      const { module, agent } = await (errand.target.protocol === 'https:' ? secure : plain).get();
      const headers = { 'accept-encoding': ENCODINGS, ...request.headers };
      return exchange(module.request(errand.target, { method: request.method, headers, agent }), request.body, errand);
    },
    async close() {
      for (const wire of [plain, secure]) (await wire.made())?.agent.destroy();
    },
  };
}

async function openPlain(): Promise<Wire> {
  const { default: module } = await import('node:http');
  return { module, agent: new module.Agent(KEPT) };
}

async function openSecure(insecure: boolean): Promise<Wire> {
  const { default: module } = await import('node:https');
  return { module, agent: new module.Agent({ ...KEPT, rejectUnauthorized: !insecure }) };
}

async function exchange(sent: ClientRequest, body: string | undefined, errand: Errand): Promise<HttpResponse> {
  try {
    return await new Promise((resolve, reject) => {
      sent.on('error', reject);
      errand.onStop(() => sent.destroy());
      sent.on('socket', (socket) => notePhase(sent, socket, errand));
      sent.on('response', (answer) => {
        errand.state.phase = 'reading';
        const done = (text: string) =>
          resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), body: text });
        read(answer, errand).then(done, reject);
      });
      sent.end(body);
    });
  } catch (thrown) {
    sent.destroy();
    throw thrown;
  }
}

function notePhase(sent: ClientRequest, socket: NodeJS.EventEmitter, { state }: Errand): void {
  if (sent.reusedSocket) {
    state.phase = 'waiting';
    return;
  }
  state.phase = 'connecting';
  socket.once(sent.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
    state.phase = 'waiting';
  });
}

function read(answer: IncomingMessage, { limit, host }: Errand): Promise<string> {
  if (!isPacked(answer)) return collected(answer, limit, host);
  // An answer that breaks off says so itself, whatever unpacks it.
  const broken = new Promise<never>((_, reject) => answer.on('error', reject));
  return Promise.race([broken, unpacked(answer).then((body) => collected(body, limit, host))]);
}

function collected(body: Readable, limit: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    body.on('error', reject);
    body.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > limit) reject(tooLarge(host, limit));
      else pieces.push(piece);
    });
    body.on('end', () => resolve(textOf(pieces)));
  });
}

/** UTF-8 without the mark that some begin it with. */
function textOf(pieces: readonly Buffer[]): string {
  const text = Buffer.concat(pieces).toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** They come as a list in which each name stands before its value. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}
