/** What carries one exchange on Node. There are two: text for text, and everything else. */
import type { HttpRequest, HttpResponse } from '../ports.ts';
import type { Exchange } from './node-exchange.ts';
import type { ProxyServer } from './node-proxy.ts';

/** What is known of a request beside itself. */
export interface Errand {
  /** How far it has come: kept up to date by the carrier. */
  readonly state: Exchange;
  /** Host and port, as errors name them. */
  readonly host: string;
  readonly target: URL;
  /** Remembers what ends it; calls that at once where it is over already. */
  onStop(stop: () => void): void;
  /** Limit of the answer after decompression, in bytes. */
  readonly limit: number;
  readonly proxy: ProxyServer | undefined;
}

export interface Carrier {
  /** @throws whatever the connection says; `explain` makes it an error of this project */
  carry(request: HttpRequest, errand: Errand): Promise<HttpResponse>;
  /** Ends every connection, those in use too. */
  close(): Promise<void>;
}
