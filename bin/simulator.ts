/** The simulated service, for tests of programs that use the package. */
import { startServer } from '../fixtures/service/server.ts';
import { createService } from '../fixtures/service/service.ts';
import type { Service, ServiceOptions } from '../fixtures/service/types.ts';

export type { Service, ServiceOptions };
export { createService };

export interface ServeOptions extends ServiceOptions {
  /** A port on loopback; 0 picks a free port. Default: 0. */
  readonly port?: number;
}

export interface ServedSimulator {
  /** Such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** `AISEC_*` names and values: pass them to `createAisec` as `environment`. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Serves a simulated service over HTTP on loopback. */
export async function serve({ port = 0, ...options }: ServeOptions = {}): Promise<ServedSimulator> {
  const service = createService(options);
  const { origin, close } = await startServer(service, { port });
  return { origin, settings: service.settings(origin), close };
}
