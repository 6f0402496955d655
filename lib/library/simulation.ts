/** The simulated service as the library takes it: handed in by the file that joins both, because `lib/` imports no fixtures. */
import type { Clock, Transport } from '../ports.ts';
import type { SimulatedHost } from '../transport/simulated.ts';

/** How the simulated service behaves. */
export interface SimulationOptions {
  /** Added to every response, in milliseconds. */
  readonly latencyMs?: number;
  /** Faults to inject, such as `503@/v1/scan#2`. */
  readonly faults?: readonly string[];
  /** Oddities of live services to reproduce, by name. */
  readonly quirks?: readonly string[];
  /** Starts the sequence of ids and secrets; the same seed gives the same sequence. Default 1. */
  readonly seed?: number;
  /** Where the tenant's history ends, in milliseconds since the epoch. With it, time stands still except for what waits. */
  readonly now?: number;
}

/** A simulated service that listens on loopback. */
export interface ServedService {
  readonly origin: string;
  /** `AISEC_*` names and their values, ready for an environment file. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface SimulatedService {
  /** Answers inside this process; waiting moves the given clock. */
  transport(clock: Clock, host: SimulatedHost): Transport;
  /** `AISEC_*` names and their values, with which a client reaches all of it. */
  settings(): Readonly<Record<string, string>>;
  /** @param port on loopback; 0 takes a free one */
  serve(port: number): Promise<ServedService>;
}

/** Makes a simulated service. @throws Error when a fault or a quirk is not understood */
export type Simulate = (options: SimulationOptions) => Promise<SimulatedService>;
