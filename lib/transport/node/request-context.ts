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
  /** Replaces the function that aborts the request; calls it at once if the request is already aborted. */
  onEnd(end: (reason: Error) => void): void;
}
