/** A playbook in the war room of the simulated service, inside the process. */
import { readdirSync, readFileSync } from 'node:fs';
import { registry } from '../../../commands/index.ts';
import type { ServiceOptions } from '../../../fixtures/service/types.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { HttpRequest, HttpResponse } from '../../../lib/core/ports.ts';
import type { Runtime } from '../../../lib/core/runtime.ts';
import type { Playbook } from '../../../lib/playbook/playbook.ts';
import { readPlaybook, readPlaybookDocument, resolveInputs } from '../../../lib/playbook/read-playbook.ts';
import { type PlaybookResult, runPlaybook, type Step } from '../../../lib/playbook/rehearse.ts';
import type { Invocation } from '../../../lib/runtime/arguments/lexer.ts';
import { dispatch } from '../../../lib/runtime/engine/dispatch.ts';
import { mergeContext } from '../../../lib/runtime/output/merge.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';

const FOLDER = new URL('../../../lib/manifest/assets/playbooks', import.meta.url).pathname;
/** Names of the shipped playbooks. */
export const NAMES = readdirSync(FOLDER).map((name) => name.replace(/\.yml$/, ''));
export const sourceOf = (name: string) => readFileSync(`${FOLDER}/${name}.yml`, 'utf8');

const documents = new Map<string, Promise<JsonObject>>();

/** Returns the document of a shipped playbook; each is read once, because reading takes the most time. */
export function documentOf(name: string): Promise<JsonObject> {
  const read = documents.get(name) ?? readPlaybookDocument(sourceOf(name), name).then(({ value }) => value);
  documents.set(name, read);
  return read;
}

const playbooks = new WeakMap<JsonObject, Playbook>();

/** Checks a document once, however often it is rehearsed. */
async function playbookOf(document: JsonObject): Promise<Playbook> {
  const playbook = playbooks.get(document) ?? (await readPlaybook(document, registry));
  playbooks.set(document, playbook);
  return playbook;
}

export interface Circumstances {
  readonly service?: ServiceOptions;
  /** Texts of files, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** The initial context. */
  readonly context?: Record<string, unknown>;
  readonly runtime?: Partial<Runtime>;
  /** Replacements of response texts, for states that the seeded tenant lacks. */
  readonly rewrites?: readonly (readonly [from: string, to: string])[];
  /** Changes the members of a response, for answers that the simulated service never gives. */
  readonly patch?: (body: Record<string, unknown>, request: HttpRequest) => void;
  /** The branch that a person chooses. */
  readonly answer?: string;
  /** Reports whether this request fails, given the earlier requests. */
  readonly fails?: (request: HttpRequest, before: readonly HttpRequest[]) => boolean;
}

export interface Rehearsal extends PlaybookResult {
  readonly steps: readonly Step[];
  /** Identifiers of the tasks that ran, in order. */
  readonly ids: readonly string[];
  readonly room: WarRoom;
  /** Every command line that ran, as name and values. */
  readonly invocations: readonly Invocation[];
  readonly playbook: Playbook;
}

/** Reads, checks and runs a document. */
export async function rehearse(
  document: JsonObject,
  inputs: Readonly<Record<string, string>> = {},
  {
    service,
    files = {},
    context = {},
    runtime: overrides = {},
    fails = () => false,
    rewrites = [],
    patch,
    answer,
  }: Circumstances = {},
): Promise<Rehearsal> {
  const room = warRoom(service);
  Object.assign(room.files, files);
  room.context = context;
  const playbook = await playbookOf(document);
  const steps: Step[] = [];
  const invocations: Invocation[] = [];
  const { context: _context, ...runtime } = { ...room.runtime, ...overrides };
  const inner = runtime.transport;
  const transport: Runtime['transport'] = {
    send: async (request) =>
      fails(request, room.requests)
        ? { status: 500, headers: {}, body: '{}' }
        : patched(rewritten(await inner.send(request), rewrites), request, patch),
  };
  const ending = await runPlaybook(playbook, resolveInputs(playbook, new Map(Object.entries(inputs)), context), {
    registry,
    context: () => room.context,
    run: async (invocation) => {
      invocations.push(invocation);
      const result = await dispatch(invocation, registry, { ...runtime, transport });
      room.context = mergeContext(room.context, result.writes);
      return result;
    },
    keep: async (writes) => {
      room.context = mergeContext(room.context, writes);
    },
    now: async () => runtime.clock.now(),
    ...(answer === undefined ? {} : { answer: () => answer }),
    onStep: (step) => steps.push(step),
  });
  return { ...ending, steps, ids: steps.map(({ task }) => task.id), room, invocations, playbook };
}

function rewritten(response: HttpResponse, rewrites: NonNullable<Circumstances['rewrites']>): HttpResponse {
  return { ...response, body: rewrites.reduce((text, [from, to]) => text.replaceAll(from, to), response.body) };
}

function patched(response: HttpResponse, request: HttpRequest, patch: Circumstances['patch']): HttpResponse {
  if (patch === undefined || !response.body.startsWith('{')) return response;
  const body = JSON.parse(response.body) as Record<string, unknown>;
  patch(body, request);
  return { ...response, body: JSON.stringify(body) };
}

/** A document of abbreviated tasks; it starts at the first task. */
export function sample(tasks: Readonly<Record<string, JsonObject>>, more: JsonObject = {}): JsonObject {
  const entries = Object.entries(tasks).map(([id, { task = {}, ...rest }]) => [
    id,
    { id, task: { name: `T${id}`, ...(task as object) }, ...rest },
  ]);
  return { name: 'Sample', starttaskid: Object.keys(tasks)[0], tasks: Object.fromEntries(entries), ...more };
}

export const start = (...next: readonly string[]): JsonObject => ({ type: 'start', nexttasks: { '#none#': next } });
export const title = (...next: readonly string[]): JsonObject => ({
  type: 'title',
  ...(next.length === 0 ? {} : { nexttasks: { '#none#': next } }),
});

/** A task that runs a command. @param values strings, or values as the document has them */
export function runs(
  command: string,
  values: JsonObject,
  next: readonly string[] = [],
  more: JsonObject = {},
): JsonObject {
  const given = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? { simple: value } : value,
  ]);
  return {
    type: 'regular',
    task: { script: `|||${command}`, iscommand: true },
    scriptarguments: Object.fromEntries(given),
    ...(next.length === 0 ? {} : { nexttasks: { '#none#': next } }),
    ...more,
  };
}

/** A task that decides. @param tests by branch, each as in the document */
export function decides(
  tests: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, readonly string[]>>,
): JsonObject {
  const conditions = Object.entries(tests).map(([label, condition]) => ({ label, condition }));
  return { type: 'condition', conditions, nexttasks: next };
}

/** Compares a context path with a text. */
export function compares(operator: string, path: string, right?: string, more: JsonObject = {}): JsonObject {
  const left = { value: { simple: path }, iscontext: true };
  return { operator, left, ...(right === undefined ? {} : { right: { value: { simple: right } } }), ...more };
}
