/** Opens the program of a client. */
import { UsageError } from '../core/errors.ts';
import type { Settings } from '../core/parameters.ts';
import type { Transport } from '../core/ports.ts';
import type { Advice } from '../core/runtime.ts';
import { checkTimeLimit } from '../core/stop.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import { lazyFiles } from '../node/files/lazy-files.ts';
import { type Configuration, readConfiguration, readEnvironment } from '../node/settings/configuration.ts';
import { namedProfile } from '../node/settings/location.ts';
import type { Registry } from '../runtime/engine/command.ts';
import { openProgram, type Program } from './program.ts';
import type { OpenQueue } from './queue.ts';
import { type Simulate, type SimulatedService, simulatedService } from './simulation.ts';
import type { ClientOptions } from './types.ts';

/** Injected parts, because `lib/` imports no commands and no fixtures. */
export interface ClientParts {
  readonly registry: Registry;
  readonly simulated: Simulate;
  /** All commands with their schemas. */
  readonly catalogue: () => readonly CommandEntry[];
  /** Wraps the transport, for measurements. */
  readonly wrap?: (transport: Transport, settings: Settings) => Transport;
  /** Opens the queue named by the option `queue`; it connects on first use. */
  readonly queue?: OpenQueue;
  /** Ends the wait for a settings file that is a named pipe. Closing the client ends it too. */
  readonly stopping?: AbortSignal;
  /** Hints for errors. Default: the library's own. */
  readonly advice?: Advice;
}

const ADVICE: Advice = {
  settings: 'Pass it to createAisec in settings, environment or configFile, or rehearse with simulate: true.',
  time: 'Give it more time with timeoutMs.',
  commands: 'See all of them in aisec.commands.',
};

/**
 * Opens the program.
 * @param signal ends the wait for a settings file that is a named pipe
 * @throws ConfigurationError for invalid settings, UsageError for an invalid simulation
 */
export async function openFor(parts: ClientParts, options: ClientOptions, signal: AbortSignal): Promise<Program> {
  const { environment = {}, log, timeoutMs, resultLimit } = options;
  checkTimeLimit('timeoutMs', timeoutMs);
  const simulate = options.simulate === true ? {} : options.simulate || undefined;
  const simulation = simulate && (await simulatedService(parts.simulated, simulate));
  const configuration = await configurationOf(simulation, options, signal);
  const level = log === undefined ? 'silent' : (log.level ?? 'warn');
  const { wrap = (transport: Transport) => transport } = parts;
  const program = await openProgram({
    configuration,
    simulation,
    time: simulate?.now === undefined ? undefined : { start: simulate.now, elapsed: 0 },
    environment,
    files: lazyFiles(options.filesDirectory ?? '.', { confined: options.confined === true }),
    log: { level, stream: log?.stream ?? { write: () => true }, showContent: log?.content === true },
    advice: parts.advice ?? ADVICE,
    wrap: (transport) => wrap(transport, configuration.settings),
    queue: queueOf(parts, options, configuration.settings),
    budgetMs: timeoutMs,
    contextLimit: resultLimit ?? Number.POSITIVE_INFINITY,
    // Only commands that take files read files; a file is never read as a secret.
    secretSource: (kind, name) => (kind === 'env' && options.confined !== true ? environment[name] : undefined),
  });
  for (const warning of configuration.warnings) program.log.warn(warning);
  return program;
}

function queueOf({ queue: open }: ClientParts, options: ClientOptions, settings: Settings) {
  const { queue, profile, environment = {}, simulate = false } = options;
  if (queue === undefined) return undefined;
  if (open === undefined) throw new UsageError('This program has no queue.');
  const named = namedProfile({ path: undefined, profile, environment });
  return open(queue, { profile: named ?? '', settings, simulates: simulate !== false });
}

async function configurationOf(
  service: SimulatedService | undefined,
  options: ClientOptions,
  signal: AbortSignal,
): Promise<Configuration> {
  if (service !== undefined) return readEnvironment(service.settings());
  const { settings, environment = {}, configFile: path, profile } = options;
  // Without configFile, the settings file in the user's home is read only if `environment` has HOME.
  const overrides = settings === undefined ? {} : { overrides: settings };
  return readConfiguration({ ...overrides, environment, path, profile, signal });
}
