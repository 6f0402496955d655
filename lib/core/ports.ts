/**
 * The ports: the interfaces between the neutral part of the runtime and its host. Each host (terminal, platform, test)
 * implements them; neutral code does not depend on the host. Only plain values pass through a port: no `URL`, `Buffer`,
 * `AbortSignal` or stream, because the platform's embedded engine has none.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One HTTP request: a single attempt, without retry or redirect. */
export interface HttpRequest {
  method: Method;
  /** Absolute and encoded. */
  url: string;
  /** Header names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Text to send; no body by default. */
  body?: string;
  /** A file to send as multipart instead of a body. */
  upload?: Upload;
  /** Called while the file of an upload is sent, if the host can report it. @param bytes bytes sent so far */
  onSent?: (bytes: number) => void;
  /** Store the undecoded body of a successful response in a file. The file has this name, unless the service names it. */
  download?: string;
  /** Time limit of the whole request, body included, in milliseconds. */
  timeoutMs: number;
  /** Ends only this request, with a CancelledError. */
  stop?: Stop | undefined;
}

/** Ends one piece of work early, like an `AbortSignal`. */
export interface Stop {
  readonly stopped: boolean;
  /** Adds a listener, which is called once, on the stop. @returns a function that removes it */
  onStop(listener: () => void): () => void;
}

/** A response of any status: a transport does not throw for a 4xx or a 5xx. */
export interface HttpResponse {
  status: number;
  /** Header names in lower case; a repeated header is joined with `, `. */
  headers: Readonly<Record<string, string>>;
  /** The body as text; empty if the response had no body, or if it was stored as a file. */
  body: string;
  /** The stored download. */
  file?: SavedFile;
}

/** A multipart body: text parts, and one file that the transport streams. */
export interface Upload {
  readonly file: FileEntry;
  /** Name of the file's part. */
  readonly field: string;
  readonly contentType: string;
  /** Parts before the file. */
  readonly parts: readonly { name: string; fileName?: string; contentType: string; text: string }[];
}

/** A file of the host: a path in a terminal, an entry in a war room. */
export interface FileEntry {
  /** The host's reference to the file. */
  readonly entry: string;
  /** Base name. */
  readonly name: string;
  /** In bytes, if the host knows it. */
  readonly size: number | undefined;
  /** Identifies the content in later runs, if the reference does not. */
  readonly identity?: string;
}

/** A file that a command created. */
export interface SavedFile extends FileEntry {
  /** Such as `application/zip`. */
  readonly contentType: string;
}

/** Stores a download as a file. @param bytes chunks, as they arrive */
export type KeepBytes = (
  name: string,
  contentType: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
) => Promise<SavedFile>;

/** Reads text in chunks. */
export interface TextReader {
  /** Returns the next chunk, or undefined at the end. A chunk never splits a character. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Writes text in chunks; the file gets its name when it is closed. */
export interface TextWriter {
  write(text: string): Promise<void>;
  close(): Promise<SavedFile>;
}

/** An append-only file of lines, which survives a killed process. */
export interface LineFile {
  /** Reads from the start. */
  read(): Promise<TextReader>;
  /** Appends in the order of the calls. @param lines whole lines, each with its line end */
  append(lines: string): Promise<void>;
}

/**
 * The journal of one piece of work, which a later run can resume: the results of the work, and notes about its
 * state. Other processes cannot open it.
 */
export interface Journal {
  readonly results: LineFile;
  readonly notes: LineFile;
  /** True if an earlier run left results or notes. */
  readonly continued: boolean;
  /** Results of an earlier run that this run does not resume. */
  readonly previous: SavedFile | undefined;
  /** Results of the longest run that this run does not resume; `resume` can still continue that run. */
  readonly earlier?: SavedFile | undefined;
  /** Turns the results into a file, and removes the journal. */
  commit(name: string, contentType: string): Promise<SavedFile>;
  /** Removes the journal. */
  remove(): Promise<void>;
  /** Closes the journal for a later run; does nothing after `commit` or `remove`. @returns the results so far */
  suspend(): Promise<SavedFile>;
}

/** Files of the host. */
export interface Files {
  /**
   * Finds a file.
   * @param entry a path, or the id of an entry.
   * @throws UsageError if it does not exist, or is not a file
   */
  find(entry: string): Promise<FileEntry>;
  read(file: FileEntry): Promise<TextReader>;
  /** Reports whether a string is the name of a file, if the host can check it. */
  exists?(name: string): Promise<boolean>;
  /** Creates a text file; an existing name gets a number. @param contentType such as `text/csv` */
  create(name: string, contentType: string): Promise<TextWriter>;
  /** Checks that files can be created, if the host can check that. @throws ConfigurationError if not */
  checkWritable?(): Promise<void>;
  /**
   * Opens a journal; undefined if the host has no journals.
   * @param name identifies the work
   * @param resume continue an existing journal; otherwise its results are kept as a file
   * @throws ConflictError with lock and owner if another process has it open; UsageError if `resume` is set and the
   * host has no journals; ConfigurationError if it cannot be written
   */
  journal(name: string, resume: boolean): Promise<Journal | undefined>;
}

/**
 * Sends one request.
 * @throws NetworkError (or its subclasses for time-outs, TLS and proxies) if no complete response was received
 */
export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** Returns the time, and waits. Tests and the simulated service may replace it. */
export interface Clock {
  /**
   * Milliseconds since the epoch, by the wall clock, which may be set at any time. Use it for dates that are shown,
   * sent, or compared with dates from the service or another process; never for durations.
   */
  now(): number;
  /** Milliseconds since an arbitrary start, monotonic. Use it for durations. */
  elapsed(): number;
  /** Waits. @throws CancelledError if the stop comes first */
  wait(milliseconds: number, stop?: Stop): Promise<void>;
  /** A number from 0 to 1, exclusive, for jitter. */
  random(): number;
}

/** Writes structured log lines; values are redacted first. */
export interface Log {
  /** Logs requests and responses with their bodies; optional. Fields are computed only if they are written. */
  trace?(message: string, fields: () => Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export type TokenEntry = Readonly<Record<string, string>>;

/** Stores the token across commands: in the platform's integration context, in memory, or on another machine. */
export interface TokenStore {
  /** Returns the last entry, or undefined; never fails. */
  read(): TokenEntry | undefined | Promise<TokenEntry | undefined>;
  write(entry: TokenEntry): void | Promise<void>;
}

/** Names a port between a host and the commands that use it; the engine only passes the port on. */
export interface PortKey<Port> {
  readonly name: string;
  /** Never set: only carries the port's type. */
  readonly type?: Port;
}

/** Kinds of sources that a secret argument may name. */
export type SecretKind = 'env' | 'file';

/** Reads an environment variable or a file; undefined if it cannot be read. */
export type SecretSource = (kind: SecretKind, name: string) => string | undefined | Promise<string | undefined>;

/** Reads the whole text of a file. */
export async function readAll(files: Pick<Files, 'read'>, file: FileEntry): Promise<string> {
  const reader = await files.read(file);
  const pieces: string[] = [];
  try {
    for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) pieces.push(piece);
  } finally {
    await reader.close();
  }
  return pieces.join('');
}
