/** What the terminal host is handed: streams, environment, registry and the simulated service. Nothing here is global. */
import type { Readable, Writable } from 'node:stream';
import type { Registry } from '../../command.ts';
import type { Catalogue } from '../../manifest/catalogue.ts';
import type { Clock, Transport } from '../../ports.ts';
import type { SimulatedHost } from '../../transport/simulated.ts';

export type TerminalInput = Readable & { isTTY?: boolean | undefined };
export type TerminalOutput = Writable & { isTTY?: boolean | undefined; columns?: number | undefined };
export type Environment = Readonly<Record<string, string | undefined>>;

/** How the simulated service is asked to behave. */
export interface SimulationOptions {
  /** Added to every answer, in milliseconds. */
  readonly latencyMs?: number;
  readonly faults: readonly string[];
  readonly quirks: readonly string[];
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

export interface TerminalHost {
  /** What was typed after the program's name. */
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly registry: Registry;
  /** Loaded when help or completion needs it. */
  readonly catalogue: () => Promise<Catalogue>;
  readonly version: string;
  /** Handed in, because the library knows no fixtures. @throws Error when a fault or a quirk is not understood */
  readonly simulated: (options: SimulationOptions) => Promise<SimulatedService>;
}
