/** State of one request on Node, beside the request itself. */
import type { Phase } from '../failures.ts';
import type { ProxyServer } from './proxy.ts';

export interface RequestContext {
  /** Updated by the HTTP client while the request runs. */
  phase: Phase;
  /** Host and port, for errors. */
  readonly host: string;
  readonly target: URL;
  readonly proxy: ProxyServer | undefined;
  /** Accept any certificate of the service. */
  readonly insecure: boolean;
  /** Maximum size of the response after decompression, in bytes. */
  readonly limit: number;
  /** Aborted by the time-out or the stop of the request, with an error. */
  readonly ended: AbortSignal;
}
