import { registry } from '../../commands/index.ts';
import { createService } from '../../fixtures/service/service.ts';
import type { Service, ServiceOptions } from '../../fixtures/service/types.ts';
import { parseLine } from '../../lib/client/argv.ts';
import { AisecError } from '../../lib/core/errors.ts';
import type { Settings } from '../../lib/core/parameters.ts';
import type { Clock, HttpRequest, HttpResponse, KeepBytes, Log, Transport } from '../../lib/core/ports.ts';
import type { Runtime } from '../../lib/core/runtime.ts';
import { runtimeOf } from '../../lib/runtime/engine/command-runtime.ts';
import { dispatch } from '../../lib/runtime/engine/dispatch.ts';
import { mergeContext } from '../../lib/runtime/output/merge.ts';
import type { Result } from '../../lib/runtime/output/result.ts';
import { resolveSettings } from '../../lib/runtime/settings/settings.ts';
import { simulatedTransport } from '../../lib/runtime/transport/simulated.ts';
import { memoryFiles } from './files.ts';

export const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** Advice that a host adds to errors. */
export const ADVICE = { settings: 'Set it.', time: 'Give it more time.', commands: 'See all commands.' };

export interface TestClock extends Clock {
  /** Every requested wait, in milliseconds. */
  readonly waits: number[];
  advance(milliseconds: number): void;
  /** Sets the wall clock; no time passes. */
  jump(milliseconds: number): void;
}

/** The time of the tests, in milliseconds since the epoch; the golden files hold the values of that time. */
export const TEST_TIME = Date.UTC(2026, 10, 21, 12);

/** A clock on which time passes only during waits. */
export function testClock(start = TEST_TIME, random = 0.5): TestClock {
  let [now, passed] = [start, 0];
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    elapsed: () => passed,
    random: () => random,
    advance: (milliseconds) => {
      now += milliseconds;
      passed += milliseconds;
    },
    jump: (milliseconds) => {
      now += milliseconds;
    },
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
      passed += milliseconds;
    },
  };
}

export interface WarRoom {
  /** Runs a line, and merges its result into the context. */
  run(line: string, overrides?: Partial<Runtime>): Promise<Result>;
  /** Runs a line and returns the context value at its own path. */
  value(line: string, overrides?: Partial<Runtime>): Promise<Record<string, unknown>>;
  /** Runs a line and returns the list at its own path. */
  values(line: string): Promise<Record<string, unknown>[]>;
  /** Runs a line that must fail. */
  fail(line: string, overrides?: Partial<Runtime>): Promise<AisecError>;
  /** Sent requests, including token requests. */
  readonly requests: HttpRequest[];
  readonly responses: HttpResponse[];
  /** Texts of the existing files, by name. */
  readonly files: Record<string, string>;
  /** Bytes of the kept downloads, by name. */
  readonly downloads: Record<string, Uint8Array>;
  readonly clock: TestClock;
  readonly runtime: Runtime;
  context: Record<string, unknown>;
}

/** A war room on the simulated service, inside the process. */
export function warRoom(
  options: ServiceOptions = {},
  settings: Partial<Settings> = {},
  service: Service = createService(options),
  clock: TestClock = testClock(),
): WarRoom {
  const files = memoryFiles();
  const downloads: Record<string, Uint8Array> = {};
  const keep = memoryKeep(downloads);
  const inner = simulatedTransport((request, at) => service.handle(request, at), clock, { files, keep });
  const { transport, requests, responses } = recorded(inner);
  const environment = service.settings('http://127.0.0.1:8080');
  const runtime: Runtime = runtimeOf({
    settings: { ...resolveSettings({ environment }).settings, ...settings },
    transport,
    clock,
    log: silent,
    files,
    context: {},
    advice: ADVICE,
  });
  const room: WarRoom = {
    requests,
    responses,
    files: files.contents,
    downloads,
    clock,
    runtime,
    context: {},
    run: async (line, overrides = {}) => {
      const result = await dispatch(parseLine(line), registry, { ...runtime, context: room.context, ...overrides });
      room.context = mergeContext(room.context, result.writes);
      return result;
    },
    value: async (line, overrides) => {
      const value = (await room.run(line, overrides)).writes[0]?.value;
      if (typeof value !== 'object' || value === null) throw new Error(`${line} left no record`);
      return { ...value };
    },
    values: async (line) => {
      const value = (await room.run(line)).writes[0]?.value ?? [];
      if (!Array.isArray(value)) throw new Error(`${line} left no list`);
      return value;
    },
    fail: async (line, overrides) => {
      try {
        await room.run(line, overrides);
      } catch (thrown) {
        if (thrown instanceof AisecError) return thrown;
        throw thrown;
      }
      throw new Error(`${line} was expected to fail`);
    },
  };
  return room;
}

/** Keeps downloads in memory, by name. */
function memoryKeep(downloads: Record<string, Uint8Array>): KeepBytes {
  return async (name, contentType, bytes) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    const content = new Uint8Array(Buffer.concat(pieces));
    downloads[name] = content;
    return { entry: `kept/${name}`, name, size: content.length, contentType };
  };
}

/** A transport that records its requests. */
export function recorded(inner: Transport) {
  const requests: HttpRequest[] = [];
  const responses: HttpResponse[] = [];
  const transport: Transport = {
    send: async (request) => {
      requests.push(request);
      const response = await inner.send(request);
      responses.push(response);
      return response;
    },
  };
  return { transport, requests, responses };
}
