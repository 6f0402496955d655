/** One exchange on Node while it runs, as far as its outcome has to be explained. */
import type { Socket } from 'node:net';
import type { Phase } from './failures.ts';

export interface Exchange {
  phase: Phase;
  /** Connections that were opened for it. */
  readonly sockets: Socket[];
  /** What ended it, before fetch wrapped it into something that says less. */
  failure: unknown;
}

export function newExchange(): Exchange {
  return { phase: 'waiting', sockets: [], failure: undefined };
}

/** Ends the connections that an exchange was still opening; those that are open belong to the agents. */
export function abandon(exchange: Exchange): void {
  if (exchange.phase !== 'connecting') return;
  for (const socket of exchange.sockets) socket.destroy(new Error('abandoned'));
}
