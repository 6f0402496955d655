/** A simulated service on a real socket that calls a function at one step of a request, then stops responding. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createService } from '../../../fixtures/service/index.ts';
import type { ServiceOptions } from '../../../fixtures/service/types.ts';
import { machineClock } from '../../support/machine.ts';

/** Progress of an exchange: request head received, request received, half of the response sent, response sent. */
export type Step = 'begun' | 'asked' | 'half' | 'answered';

export interface Moment {
  /** Number of the request, from 1. */
  readonly request: number;
  readonly step: Step;
}

export interface Held {
  /** `AISEC_*` names and their values. */
  readonly settings: Record<string, string>;
  /** Number of received requests. */
  readonly requests: () => number;
  /** Number of open connections. */
  readonly open: () => number;
  /** From now on everything is answered again. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

const HALF_MS = 15;

export interface HeldOptions extends ServiceOptions {
  /** Most records of a page, whatever was asked. */
  readonly pageSize?: number;
}

/** @param then what happens at the moment; without a moment, everything is answered */
export async function heldService(options: HeldOptions, moment?: Moment, then?: () => void): Promise<Held> {
  const service = createService(options);
  const sockets = new Set<Socket>();
  let [requests, isHeld] = [0, false];
  const holds = (request: number, step: Step): boolean => {
    if (isHeld || request !== moment?.request || step !== moment.step) return isHeld;
    isHeld = true;
    // Half of an answer is to be there, and at work, before anything happens.
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
    // A stopped client disconnects, which the test waits for.
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
