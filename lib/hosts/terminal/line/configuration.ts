/**
 * Reads settings, the queue address and secrets: from options, environment and files, or from the simulated service.
 */
import { type SimulatedService, type SimulationOptions, simulatedService } from '../../../client/simulation.ts';
import type { ClientOptions } from '../../../client/types.ts';
import { AisecError, UsageError } from '../../../core/errors.ts';
import { SETTING_NAMES } from '../../../core/parameters.ts';
import type { SecretSource } from '../../../core/ports.ts';
import {
  readConfiguration as read,
  readEnvironment,
  type Configuration as Settled,
} from '../../../node/settings/configuration.ts';
import type { Environment, TerminalHost } from '../ui/host.ts';
import type { Options } from './cli-options.ts';

export interface Configuration extends Settled {
  /** Responds instead of a tenant. */
  readonly simulation: SimulatedService | undefined;
}

/** Reads the settings. @throws ConfigurationError for an invalid setting, UsageError for options that exclude each other */
export async function configurationOf(
  host: TerminalHost,
  options: Options,
  signal?: AbortSignal,
): Promise<Configuration> {
  if (options.simulate) {
    const simulation = await simulatedService(host.simulated, simulationOptions(options));
    return { ...(await readEnvironment(simulation.settings())), simulation };
  }
  const { environment } = host;
  const { config: path, profile, settings: overrides } = options;
  return { ...(await read({ overrides, environment, path, profile, signal })), simulation: undefined };
}

/** Returns the options of the simulated service. */
export function simulationOptions({ faults, quirks, latencyMs }: Options): SimulationOptions {
  return { faults, quirks, ...(latencyMs === undefined ? {} : { latencyMs }) };
}

export const HOW_TO_BEGIN = 'Nothing is set yet. Begin with: aisec init. Without a tenant, add --simulate.';

/** Reports whether every setting has its default. */
export function isUnset({ sources }: Pick<Configuration, 'sources'>): boolean {
  return SETTING_NAMES.every((name) => (sources[name] ?? 'default') === 'default');
}

export type QueueAddress = NonNullable<ClientOptions['queue']>;

/** Returns the queue named by options or environment; undefined if this process does all work itself. */
export function chosenQueue({ queue }: Options, environment: Environment): QueueAddress | undefined {
  const url = queue ?? environment['AISEC_QUEUE_URL'] ?? '';
  return url === '' ? undefined : { url, key: environment['AISEC_QUEUE_KEY'] };
}

/** Returns the queue of a subcommand that requires a queue. @throws UsageError if no queue is named */
export function neededQueue(options: Options, environment: Environment): QueueAddress {
  const address = chosenQueue(options, environment);
  if (address !== undefined) return address;
  throw new UsageError('The address of the queue is missing.', {
    hint: 'Add --queue redis://127.0.0.1:6379, or set AISEC_QUEUE_URL.',
  });
}

/** Larger than any secret. */
const MAX_BYTES = 1_000_000;

/** Creates the settings source of one command. @param signal ends the wait for a file that is a named pipe */
export function secretSource(environment: Environment, signal: AbortSignal): SecretSource {
  return (kind, name) => (kind === 'env' ? environment[name] : textOf(name, signal));
}

/** @throws CancelledError after the signal, UsageError for bytes that are not text */
async function textOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  const [{ readBytes }, { decodeText }] = await Promise.all([
    import('../../../node/files/read-bytes.ts'),
    import('../../../node/files/decode-text.ts'),
  ]);
  try {
    const bytes = await readBytes(path, { signal, maxBytes: MAX_BYTES });
    return decodeText(bytes, `The file ${path}`).replace(/\r?\n$/, '');
  } catch (thrown) {
    if (thrown instanceof AisecError) throw thrown;
    return undefined;
  }
}
