import type { Settings } from '../core/parameters.ts';
import type { Transport } from '../core/ports.ts';
import type { Advice } from '../core/runtime.ts';
import type { Registry } from '../engine/command.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import type { OpenQueue } from './queue.ts';
import type { Simulate } from './simulation.ts';

/** Injected parts, because `lib/` imports no commands and no fixtures. */
export interface ClientParts {
  readonly registry: Registry;
  readonly simulated: Simulate;
  /** All commands with their schemas. */
  readonly catalogue: () => readonly CommandEntry[];
  /** Wraps the transport, for measurements. */
  readonly wrap?: (transport: Transport, settings: Settings) => Transport;
  /** Opens the queue that `queue` of the options names; it connects on first use. */
  readonly queue?: OpenQueue;
  /** Ends the wait for a settings file that is a named pipe, as does closing the client. */
  readonly stopping?: AbortSignal;
  /** Hints of errors. Default: the library's own. */
  readonly advice?: Advice;
}
