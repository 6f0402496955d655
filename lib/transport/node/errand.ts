/** One exchange on Node while it runs: what is known of it beside the request. */
import type { Phase } from '../failures.ts';
import type { ProxyServer } from './proxy.ts';

export interface Errand {
  /** How far it has come: kept up to date by whoever carries it. */
  phase: Phase;
  /** Host and port, as errors name them. */
  readonly host: string;
  readonly target: URL;
  readonly proxy: ProxyServer | undefined;
  /** Accept any certificate of the service. */
  readonly insecure: boolean;
  /** Limit of the answer after decompression, in bytes. */
  readonly limit: number;
  /** Remembers what ends it, in place of what it was given before; calls that at once where it is over already. */
  onEnd(end: (reason: Error) => void): void;
}
