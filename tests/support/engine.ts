/** The platform's script engine as the native bundle sees it, in a new bare context for every run. */
import { createContext, runInContext, Script } from 'node:vm';
import { createService } from '../../fixtures/service/service.ts';
import type { Service, ServiceOptions } from '../../fixtures/service/types.ts';
import type { PlatformHttp } from '../../lib/runtime/transport/platform.ts';
import type { PlatformBundle } from '../../scripts/platform-bundle/bundle.ts';
import { type TestClock, testClock } from './simulated.ts';

/** Globals that a 2020 engine lacks, or that scripts cannot use. */
const LATER = new Script(`
  for (const name of ['Promise', 'WeakMap', 'WeakSet', 'WeakRef', 'Proxy', 'Reflect', 'BigInt', 'Intl', 'globalThis']) delete this[name];
  for (const name of ['entries', 'values', 'fromEntries', 'hasOwn', 'getOwnPropertyDescriptors', 'groupBy']) delete Object[name];
  for (const name of ['includes', 'at', 'flat', 'flatMap', 'findLast', 'findLastIndex', 'toSorted', 'toReversed']) delete Array.prototype[name];
  for (const name of ['at', 'padStart', 'padEnd', 'trimStart', 'trimEnd', 'replaceAll', 'matchAll']) delete String.prototype[name];
  delete Symbol.asyncIterator;
`);

export interface Engine {
  /**
   * Runs a command in a new engine, as the platform does.
   *
   * @param overrides globals instead of the usual ones; undefined removes a global
   * @throws the script's error
   */
  run(command: string, args?: Readonly<Record<string, unknown>>, overrides?: Record<string, unknown>): unknown;
  readonly clock: TestClock;
  /** Milliseconds between the platform's clock and the service's. */
  readonly skew: { ms: number };
  /** The instance settings. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Durations of the script's waits, in seconds. */
  readonly waits: number[];
  /** Addresses of the requests, in order. */
  readonly urls: string[];
  /** The integration context, which persists between runs. */
  readonly kept: { context: unknown };
  /** Texts of the war room's files, by entry id. */
  readonly files: Record<string, string>;
  readonly logged: string[];
}

/** Opens an instance of the integration: its settings, its integration context, its files. */
export type OpenEngine = (options?: ServiceOptions, service?: Service) => Engine;

/** @param bundle the native bundle; it is compiled once for all engines */
export function enginesFor(bundle: PlatformBundle): OpenEngine {
  const program = new Script(`(function () {${bundle.text}\n})()`);
  return (options = {}, service = createService(options)) => openEngine(program, service);
}

function openEngine(program: Script, service: Service): Engine {
  const { engine, globals } = instanceOf(service);
  return {
    ...engine,
    run: (command, args = {}, overrides = {}) => {
      const context = createContext({ ...globals, command, args: frozen(args), ...overrides });
      LATER.runInContext(context);
      runInContext('Date', context).now = () => engine.clock.now() + engine.skew.ms;
      return program.runInContext(context);
    },
  };
}

/** Opens an instance: the data that its scripts leave, and their globals except for the command. */
export function instanceOf(service: Service): { engine: Omit<Engine, 'run'>; globals: Record<string, unknown> } {
  const clock = testClock();
  const params = frozen(paramsOf(service));
  const engine = {
    clock,
    skew: { ms: 0 },
    params,
    waits: [],
    urls: [],
    kept: { context: undefined },
    files: {},
    logged: [],
  };
  return { engine, globals: globalsOf(service, engine) };
}

function globalsOf(service: Service, engine: Omit<Engine, 'run'>): Record<string, unknown> {
  const { clock, params, waits, kept, files, logged } = engine;
  return {
    params,
    http: httpOf(service, engine),
    log: (text: string) => logged.push(text),
    logDebug: (text: string) => logged.push(text),
    wait: (seconds: number) => {
      waits.push(seconds);
      clock.advance(seconds * 1000);
    },
    getIntegrationContext: () => kept.context,
    setIntegrationContext: (context: unknown) => {
      kept.context = frozen(context);
    },
    getFileByEntryID: (entry: string) => {
      const text = files[entry];
      if (text === undefined) throw new Error(`no entry ${entry}`);
      return text;
    },
    saveFile: (text: string) => {
      const entry = `saved/${Object.keys(files).length}`;
      files[entry] = text;
      return entry;
    },
  };
}

function paramsOf(service: Service): Record<string, unknown> {
  const settings = service.settings('http://127.0.0.1:8080');
  return {
    url: `${settings['AISEC_BASE_URL']}/`,
    credentials: { identifier: settings['AISEC_CLIENT_ID'], password: settings['AISEC_CLIENT_SECRET'] },
    runtime_api_key: { identifier: '', password: settings['AISEC_RUNTIME_API_KEY'] },
    tsg_id: settings['AISEC_TSG_ID'],
    scanner_base_url: settings['AISEC_SCANNER_BASE_URL'],
    dlp_base_url: settings['AISEC_DLP_BASE_URL'],
    token_url: settings['AISEC_TOKEN_URL'],
    insecure: false,
    proxy: false,
  };
}

/** The platform's `http`: capitalized header names, values in lists, and the file that a download became. */
function httpOf(service: Service, { clock, urls, files }: Omit<Engine, 'run'>): PlatformHttp {
  return (url, { Method, Headers, Body = '', SaveToFile }, _insecure, _proxy, _fifth, _sixth, timeoutMs) => {
    urls.push(url);
    const sent = Object.entries(Headers).map(([name, [value = '']]) => [name.toLowerCase(), value]);
    const answer = service.handle({ method: Method, url, headers: Object.fromEntries(sent), body: Body }, clock);
    if (answer.fault === 'hang' || answer.fault === 'stall' || answer.fault === 'drip') {
      clock.advance(timeoutMs);
      return { StatusCode: 0, Status: 'timeout' };
    }
    if (answer.fault !== undefined) return { StatusCode: 0, Status: 'unexpected EOF' };
    const headers = Object.entries(answer.headers).map(([name, value]) => [canonical(name), [value]]);
    const response = { StatusCode: answer.status, Status: String(answer.status), Headers: Object.fromEntries(headers) };
    if (SaveToFile !== true || answer.status >= 300) return frozen({ ...response, Body: answer.body });
    const Path = `saved/${Object.keys(files).length}`;
    files[Path] = answer.body;
    return frozen({ ...response, Path });
  };
}

function canonical(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
}

/** Freezes host values, which a script cannot change. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** A value from another engine, with the prototypes of this one. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
