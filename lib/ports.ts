/**
 * The ports: everything the neutral part of the runtime asks of the world it runs in.
 * A host (terminal, platform, test) implements them; nothing below `lib/api` or `lib/dispatch` knows which one it got.
 * Only plain values cross a port: no `URL`, `Buffer`, `AbortSignal` or stream, because the platform's embedded engine has none.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One HTTP exchange to make: a single attempt, no retry and no redirect. */
export interface HttpRequest {
  method: Method;
  /** Absolute address, already encoded. */
  url: string;
  /** Header names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Text to send as it is; absent means no body. */
  body?: string;
  /** A file to send as multipart, in place of a body. */
  upload?: Upload;
  /** Keep the body of a success as a file of this name, unless the service names it; it is not decoded. */
  download?: string;
  /** Time for the whole exchange, body included, in milliseconds. */
  timeoutMs: number;
  /** Ends this exchange, and no other, with a CancelledError. */
  stop?: Stop | undefined;
}

/** Ends one piece of work early. What an `AbortSignal` is on a host that has them. */
export interface Stop {
  readonly stopped: boolean;
  /** @param listener called once, when it is stopped. @returns takes the listener away */
  onStop(listener: () => void): () => void;
}

/** What came back, whatever its status: a transport never throws for a 4xx or a 5xx. */
export interface HttpResponse {
  status: number;
  /** Header names in lower case; a repeated header is joined with `, `. */
  headers: Readonly<Record<string, string>>;
  /** The body as text; empty when there was none, or when it was kept as a file. */
  body: string;
  /** The file that a download became. */
  file?: SavedFile;
}

/** A multipart body: fields, and one file whose bytes the transport streams. */
export interface Upload {
  readonly file: FileEntry;
  /** Name of the file's part. */
  readonly field: string;
  readonly contentType: string;
  /** Parts before the file. */
  readonly parts: readonly { name: string; fileName?: string; contentType: string; text: string }[];
}

/** A file that the host knows: a path in a terminal, an entry in a war room. */
export interface FileEntry {
  /** How the host finds it again. */
  readonly entry: string;
  /** Base name. */
  readonly name: string;
  /** In bytes, where the host knows it. */
  readonly size: number | undefined;
}

/** A file that a command made. */
export interface SavedFile extends FileEntry {
  /** Such as `application/zip`. */
  readonly contentType: string;
}

/** Keeps the bytes of a download as a file. @param bytes in pieces, as they arrive */
export type KeepBytes = (
  name: string,
  contentType: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
) => Promise<SavedFile>;

/** A text read piece by piece. */
export interface TextReader {
  /** The next piece, or undefined at the end. Pieces are cut anywhere, but never inside a character. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A text written piece by piece; it appears under its name when it is closed. */
export interface TextWriter {
  write(text: string): Promise<void>;
  close(): Promise<SavedFile>;
}

/** A text that grows at its end, line by line, and is still there after the process was killed. */
export interface LineFile {
  /** From its beginning. */
  read(): Promise<TextReader>;
  /** @param lines whole lines, each with its end; pieces are written one after the other */
  append(lines: string): Promise<void>;
}

/** Work on disk that a later run can go on with: its results so far, and notes about what is under way. Nobody else has it open. */
export interface Journal {
  readonly results: LineFile;
  readonly notes: LineFile;
  /** An earlier run left something to go on with. */
  readonly continued: boolean;
  /** Results of an earlier run that this one does not go on with; they are kept under this name. */
  readonly aside: SavedFile | undefined;
  /** Complete: the results become a file, and nothing else is left. */
  publish(name: string, contentType: string): Promise<SavedFile>;
  /** Nothing is left. */
  remove(): Promise<void>;
  /** Everything is left for a later run; when there is nothing to leave any more, nothing happens. @returns the results so far */
  leave(): Promise<SavedFile>;
}

/** Files of the host. */
export interface Files {
  /** @param entry what the user gave: a path, or the id of an entry. @throws UsageError when there is no such file, or it is none */
  find(entry: string): Promise<FileEntry>;
  read(file: FileEntry): Promise<TextReader>;
  /** A new text file; a name that is taken gets a number. @param contentType such as `text/csv` */
  create(name: string, contentType: string): Promise<TextWriter>;
  /** Checks that new files can be made, where the host can tell. @throws ConfigurationError when they cannot */
  checkWritable?(): Promise<void>;
  /**
   * Opens the journal of some work; undefined where the host keeps none.
   * @param name the same for the same work
   * @param resume go on with what is there, if anything is; otherwise what is there is put aside
   * @throws ConflictError when another process has it open, naming the lock and its owner; UsageError when `resume` is
   * asked for and the host keeps no journals; ConfigurationError when nothing can be written
   */
  journal(name: string, resume: boolean): Promise<Journal | undefined>;
}

/**
 * Carries one request.
 * @throws NetworkError (or its subclasses for time-outs, TLS and proxies) when no complete response was received.
 */
export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** Time, and waiting for it to pass. A test or the simulated service may own it. */
export interface Clock {
  /**
   * Milliseconds since the epoch, by the wall clock, which may be set at any time. For dates that are shown, sent, or held
   * against dates of the service or of another process; never for durations.
   */
  now(): number;
  /** Milliseconds since an arbitrary start; they never go back, whatever happens to the wall clock. For every duration. */
  elapsed(): number;
  /** @throws CancelledError when it is stopped before the time has passed. */
  wait(milliseconds: number, stop?: Stop): Promise<void>;
  /** A number from 0 up to, but not including, 1: for jitter. */
  random(): number;
}

/** Structured log lines; values pass redaction before they are written. */
export interface Log {
  /** What travelled, bodies included; a host without such a log leaves it out. Fields are asked for only where they are written. */
  trace?(message: string, fields: () => Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export type TokenEntry = Readonly<Record<string, string>>;

/** What outlives one command: the platform's integration context, the memory of a session, or a store on another machine. */
export interface TokenStore {
  /** The entry last written, or undefined; never fails. */
  read(): TokenEntry | undefined | Promise<TokenEntry | undefined>;
  write(entry: TokenEntry): void | Promise<void>;
}
