/** Limits of the server, which protect it from its clients. */
export interface ServerLimits {
  /** Time for the headers of a request, in milliseconds. */
  readonly headersMs: number;
  /** Time for a whole JSON body, from its headers, in milliseconds. */
  readonly bodyMs: number;
  /** Open connections. */
  readonly connections: number;
  /** Open event streams of one token, each of which holds a connection. */
  readonly streams: number;
  /** Memory of the process beyond which requests are refused, in bytes. */
  readonly memoryBytes: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 10_000,
  bodyMs: 30_000,
  connections: 4096,
  streams: 2000,
  memoryBytes: 1_500_000_000,
};
