/**
 * Maps the stop of a call onto transport and clock, which take one for their whole life: calls that cannot be stopped share
 * one connection, and a call with a stop of its own has its own. This file is all that changes once a stop travels with
 * the request.
 */
import type { Clock, Transport } from '../ports.ts';

export interface Connection {
  readonly transport: Transport;
  readonly clock: Clock;
  close(): Promise<void>;
}

export interface Lease extends Pick<Connection, 'transport' | 'clock'> {
  /** Closes the connection when no other lease has it. */
  release(): Promise<void>;
}

export interface Connections {
  /** A connection that the signal stops. Leases of one signal share it. */
  lease(signal: AbortSignal): Promise<Lease>;
}

/** @param open makes a connection that the signal stops */
export function connections(open: (signal: AbortSignal) => Promise<Connection>): Connections {
  const opened = new Map<AbortSignal, { readonly connection: Promise<Connection>; leases: number }>();
  return {
    lease: async (signal) => {
      const entry = opened.get(signal) ?? { connection: open(signal), leases: 0 };
      opened.set(signal, entry);
      entry.leases += 1;
      const { transport, clock, close } = await entry.connection;
      let released = false;
      const release = async () => {
        if (released) return;
        released = true;
        entry.leases -= 1;
        if (entry.leases > 0) return;
        opened.delete(signal);
        await close();
      };
      return { transport, clock, release };
    },
  };
}
