/** Limits of the server, which protect it from its clients. */
export const SERVER_LIMITS = {
  /** Time for the headers of a request, in milliseconds. */
  headersMs: 10_000,
  /** Time for a whole JSON body, from its headers, in milliseconds. */
  bodyMs: 30_000,
  /** Open connections, unless the process may have few open files. */
  connections: 4096,
  /** Time after which a client that takes nothing of its response is disconnected, in milliseconds. */
  stallMs: 60_000,
  /** Bytes of responses that one token has not read. */
  unreadBytes: 100_000_000,
  /** Open event streams of one token; each holds a connection. */
  streams: 2000,
  /** Concurrent uploads of one token; each holds a connection and a file. */
  uploads: 50,
  /** Time of one scan of the guard, unless a caller sets its own, in milliseconds. */
  guardScanMs: 2000,
  /** Concurrent guarded streams of one token; each scans. */
  guardStreams: 200,
  /** Time without an event after which a guarded stream ends, in milliseconds. */
  guardIdleMs: 60_000,
  /** Time of a whole guarded stream, in milliseconds. */
  guardStreamMs: 900_000,
  /** Memory of the process beyond which requests are refused, in bytes. */
  memoryBytes: 1_500_000_000,
};

export type ServerLimits = typeof SERVER_LIMITS;
