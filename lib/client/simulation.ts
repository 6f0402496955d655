/** The interface of the simulated service, which is injected because `lib/` imports no fixtures. */
import { CancelledError, toAisecError, UsageError } from '../core/errors.ts';
import type { Clock, Transport } from '../core/ports.ts';
import type { SimulatedHost } from '../runtime/transport/simulated.ts';

/** Options of the simulated service. */
export interface SimulationOptions {
  /** Latency added to every response, in milliseconds. */
  readonly latencyMs?: number;
  /** Faults to inject, such as `503x2@/v1/scan`. */
  readonly faults?: readonly string[];
  /** Quirks of live services to reproduce, by name. */
  readonly quirks?: readonly string[];
  /** Seed of ids and secrets; the same seed gives the same values. Default: 1. */
  readonly seed?: number;
  /**
   * Start of a virtual clock, in milliseconds since the epoch; its time advances only during waits. Default: the
   * machine's clock.
   */
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
  /** Creates a transport inside this process; waits advance the clock. */
  transport(clock: Clock, host: SimulatedHost): Transport;
  /** Returns the settings of a client, by `AISEC_*` name. */
  settings(): Readonly<Record<string, string>>;
  /** Serves over HTTP. @param port on loopback; 0 picks a free port */
  serve(port: number): Promise<ServedService>;
}

/** Creates a simulated service. @throws Error for an unknown fault or quirk */
export type Simulate = (options: SimulationOptions) => Promise<SimulatedService>;

/** Creates a simulated service for a user. @throws UsageError for an unknown fault or quirk */
export async function simulatedService(simulate: Simulate, options: SimulationOptions): Promise<SimulatedService> {
  const { faults = [], quirks = [] } = options;
  try {
    return await simulate(options);
  } catch (thrown) {
    if (faults.length + quirks.length === 0) throw toAisecError(thrown);
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), {
      hint: 'See --fault and --quirk in: aisec help simulate',
    });
  }
}

/** The virtual time of one simulated tenant, shared by its clocks. */
export interface VirtualTime {
  readonly start: number;
  elapsed: number;
}

/**
 * Creates a clock that advances only when a command waits; waits finish without delay, and overlapping waits finish
 * together.
 */
export function virtualClock(time: VirtualTime): Clock {
  return {
    now: () => time.start + time.elapsed,
    elapsed: () => time.elapsed,
    random: () => 0.5,
    wait: async (milliseconds, stop) => {
      const refuse = () => {
        if (stop?.stopped === true) throw new CancelledError('Stopped while waiting.');
      };
      const end = time.elapsed + Math.max(0, milliseconds);
      refuse();
      await new Promise<void>((resolve) => setImmediate(resolve));
      refuse();
      time.elapsed = Math.max(time.elapsed, end);
    },
  };
}
