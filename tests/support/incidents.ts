/** An instance that fetches incidents, in the platform's engine. */
import type { Service, ServiceOptions } from '../../fixtures/service/types.ts';
import type { Engine, OpenEngine } from './engine.ts';

export interface Raised {
  readonly name: string;
  readonly occurred: string;
  readonly severity: number;
  readonly raw: Record<string, unknown>;
}

export interface Platform {
  readonly engine: Engine;
  /** Fetches once. @param overrides globals instead of the usual ones @throws the script's error */
  fetch(overrides?: Record<string, unknown>): Raised[];
  /** The stored state. */
  lastRun: unknown;
}

/** Opens an instance. @param settings instead of the defaults */
export function platformOf(
  open: OpenEngine,
  settings: Record<string, unknown> = {},
  options: ServiceOptions = {},
  service?: Service,
): Platform {
  const engine = open(options, service);
  const platform: Platform = {
    engine,
    lastRun: {},
    fetch: (overrides = {}) => {
      const answer = engine.run(
        'fetch-incidents',
        {},
        {
          params: { ...engine.params, isFetch: true, first_fetch: '1 minute', ...settings },
          getLastRun: () => platform.lastRun,
          setLastRun: (state: unknown) => {
            platform.lastRun = JSON.parse(JSON.stringify(state));
          },
          ...overrides,
        },
      );
      return (JSON.parse(String(answer)) as (Omit<Raised, 'raw'> & { rawJSON: string })[]).map(
        ({ rawJSON, ...rest }) => ({
          ...rest,
          raw: JSON.parse(rawJSON) as Record<string, unknown>,
        }),
      );
    },
  };
  return platform;
}
