/** A simulated service on a real socket that calls a function at one step of a request, then stops responding. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createService } from '../../../fixtures/service/index.ts';
import type { ServiceOptions } from '../../../fixtures/service/types.ts';
import { machineClock } from '../../support/machine.ts';

/** Progress of a request: its head received, all of it received, half of the response sent, all of it sent. */
export type Step = 'begun' | 'asked' | 'half' | 'answered';

export interface Moment {
  /** Request number, counted from 1. */
  readonly request: number;
  readonly step: Step;
}

export interface Held {
  /** `AISEC_*` names and values. */
  readonly settings: Record<string, string>;
  /** Number of received requests. */
  readonly requests: () => number;
  /** Number of open connections. */
  readonly open: () => number;
  /** Makes the service answer everything again. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

const HALF_MS = 15;

export interface HeldOptions extends ServiceOptions {
  /** Maximum records per page, whatever the request asks for. */
  readonly pageSize?: number;
}

/** @param then called at that moment; without a moment, every request is answered */
export async function heldService(options: HeldOptions, moment?: Moment, then?: () => void): Promise<Held> {
  const service = createService(options);
  const sockets = new Set<Socket>();
  let [requests, isHeld] = [0, false];
  const holds = (request: number, step: Step): boolean => {
    if (isHeld || request !== moment?.request || step !== moment.step) return isHeld;
    isHeld = true;
    // Half of the answer must arrive and be processed before anything happens.
    if (step === 'half') setTimeout(() => then?.(), HALF_MS);
    else then?.();
    return true;
  };
  const exchange = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    requests += 1;
    const request = requests;
    if (holds(request, 'begun')) return;
    const body = await bodyOf(incoming);
    if (holds(request, 'asked')) return;
    const answer = service.handle({ ...partsOf(incoming, options), body }, machineClock);
    const bytes = Buffer.from(answer.body, answer.binary === true ? 'latin1' : 'utf8');
    outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
    outgoing.write(bytes.subarray(0, bytes.length / 2));
    if (holds(request, 'half')) return;
    outgoing.end(bytes.subarray(bytes.length / 2), () => void holds(request, 'answered'));
  };
  const server = createServer((incoming, outgoing) => {
    // A stopped client disconnects, and the test waits for that.
    exchange(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    settings: service.settings(`http://127.0.0.1:${port}`),
    requests: () => requests,
    open: () => sockets.size,
    release: () => {
      [requests, isHeld] = [Number.MAX_SAFE_INTEGER, false];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
  return text;
}

function partsOf({ method = 'GET', url = '/', headers }: IncomingMessage, { pageSize }: HeldOptions) {
  const plain = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const paged = pageSize === undefined ? url : url.replace(/(?<=[?&]limit=)\d+/, String(pageSize));
  return { method, url: paged, headers: Object.fromEntries(plain) as Record<string, string> };
}
