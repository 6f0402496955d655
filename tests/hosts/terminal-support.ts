import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { PROGRAM } from '../../bin/subcommands.ts';
import type { ServedService, SimulatedService, SimulationOptions } from '../../lib/client/simulation.ts';
import { ConflictError, PartialError } from '../../lib/core/errors.ts';
import type { Clock, HttpRequest, HttpResponse } from '../../lib/core/ports.ts';
import { main } from '../../lib/hosts/terminal/shell/main.ts';
import type { TerminalHost } from '../../lib/hosts/terminal/ui/host.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { management } from '../../lib/runtime/api/call.ts';
import { path } from '../../lib/runtime/api/path.ts';
import { flag, limit, list, offset, text } from '../../lib/runtime/arguments/builders.ts';
import { command, type Registry } from '../../lib/runtime/engine/command.ts';
import { many, number, one, record, string } from '../../lib/runtime/output/record.ts';
import { scanVerdict } from '../../lib/runtime/output/verdict.ts';
import { ALLOWED } from '../support/answers.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/machine.ts';

const Widget = record(
  'AiSec.Widget',
  'Widget',
  'name',
  { name: string('Name of the widget.'), action: string('Verdict.'), note: string('A remark.') },
  { verdict: (wire) => scanVerdict({ ...ALLOWED, action: undefined, ...wire }) },
);

const Made = record('AiSec.WidgetMade', 'Made widget', 'name', { name: string('Name.'), size: number('Size.') });

const commands = [
  command('aisec-widget-list', 'List the widgets.', {
    effect: 'read',
    args: { limit: limit(50), offset: offset() },
    output: many(Widget),
    call: ({ limit, offset }) => management.list(path`/v1/widgets`, { items: 'widgets', limit, offset }),
  }),
  command('aisec-widget-get', 'Get a widget.', {
    effect: 'read',
    args: { name: text('Name of the widget.', { required: true, positional: true }) },
    output: one(Widget),
    example: 'name=cog',
    call: ({ name }) => management.get(path`/v1/widgets/${name}`),
  }),
  command('aisec-widget-make', 'Make a widget.', {
    effect: 'create',
    args: {
      name: text('Name of the widget.', { required: true }),
      colour: text('Colour.', { choices: ['red', 'green', 'grey'], default: 'red' }),
      material: text('Material.', { hints: ['steel', 'stained glass'] }),
      tags: list('Tags.', { choices: ['new', 'old'] }),
      prompt: text('What to print on it.', { content: true }),
      auth_config: text('How to reach it.', { secret: true }),
      shiny: flag('Polish it.', { extension: true }),
    },
    output: one(Made),
    example: 'name=cog colour=green',
    call: (body) => management.post(path`/v1/widgets`, body),
  }),
  command('aisec-widget-delete', 'Delete a widget.', {
    effect: 'delete',
    args: { name: text('Name of the widget.', { required: true }) },
    output: one(Made),
    run: async ({ name }) => {
      throw new ConflictError(`${name} is in use.`, {
        hint: 'Remove it there first.',
        status: 409,
        requestId: 'r-7',
        rows: [{ profile: 'prod', revision: 3 }],
      });
    },
  }),
  command('aisec-widget-paint', 'Paint the widgets, as far as the paint goes.', {
    effect: 'update',
    args: {},
    output: one(Made),
    run: async (_, tools) => {
      tools.note('Half of them are painted.');
      tools.partialFailure(new PartialError('1 of 2 widgets is not painted.'));
      return { name: 'cog', size: 0 };
    },
  }),
  command('aisec-widget-wait', 'Wait for a widget.', {
    effect: 'read',
    args: {},
    output: one(Made),
    run: async (_, tools) => {
      tools.progress('still waiting');
      await tools.clock.wait(60_000);
      return { name: 'late' };
    },
  }),
];

export const registry: Registry = Object.fromEntries(commands.map((made) => [made.name, async () => made]));

/** Names that the widget service knows, with its answers. */
export type Widgets = Readonly<
  Record<string, { action?: string; note?: string; category?: string; timeout?: boolean; error?: boolean }>
>;

const WIDGETS: Widgets = { cog: { action: 'allow', note: 'turns' }, nut: { action: 'block', note: 'turns too' } };

const SETTINGS = {
  AISEC_BASE_URL: 'http://localhost',
  AISEC_CLIENT_ID: 'client',
  AISEC_CLIENT_SECRET: 'canary-secret-1',
  AISEC_RUNTIME_API_KEY: 'canary-secret-2',
  AISEC_TSG_ID: '0012',
  AISEC_SCANNER_BASE_URL: 'http://localhost',
  AISEC_TOKEN_URL: 'http://localhost/token',
};

function answer(request: HttpRequest, widgets: Widgets): unknown {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === '/token') return { access_token: 'canary-secret-3', expires_in: 900 };
  if (pathname.includes('/mgmt/profiles/')) return { ai_profiles: [] };
  if (request.method === 'POST') return { ...JSON.parse(request.body ?? '{}'), size: 4 };
  const name = decodeURIComponent(pathname.split('/widgets/')[1] ?? '');
  if (name !== '') return widgets[name] === undefined ? undefined : { name, ...widgets[name] };
  if (!pathname.endsWith('/widgets')) return undefined;
  const from = Number(searchParams.get('offset') ?? 0);
  const names = Object.keys(widgets);
  const page = names.slice(from, from + Number(searchParams.get('limit') ?? 50));
  const next = from + page.length < names.length ? { next_offset: from + page.length } : {};
  return { widgets: page.map((each) => ({ name: each, ...widgets[each] })), ...next };
}

export interface Given {
  /** Lines from a pipe; without them the input is a terminal. */
  input?: string;
  /** Bytes from a pipe, instead of lines. */
  bytes?: Uint8Array;
  /** The output is a terminal. Default: false. */
  terminal?: boolean;
  columns?: number;
  rows?: number;
  environment?: Record<string, string>;
  widgets?: Widgets;
  /** Commands in addition to those of the widget service. */
  extra?: Registry;
  /** Called before each answer. */
  before?: (request: HttpRequest, clock: Clock) => Promise<void> | void;
  /** Paths that the service refuses, with the status. */
  refuse?: Record<string, number>;
  served?: (port: number) => Promise<ServedService>;
}

export interface Running {
  readonly code: Promise<number>;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  output(): string;
  errors(): string;
  readonly requests: HttpRequest[];
  /** Options passed to the simulated service. */
  readonly simulations: SimulationOptions[];
  /** The state folder of this run. */
  readonly state: string;
  /** Resolves when the output or the errors contain this text. */
  see(what: string | RegExp): Promise<void>;
}

/** Starts the program on its own streams. */
export function start(argv: readonly string[], given: Given = {}): Running {
  const stdin = Object.assign(new PassThrough(), { isTTY: given.input === undefined });
  const stdout = Object.assign(new PassThrough(), {
    isTTY: given.terminal === true,
    columns: given.columns,
    rows: given.rows,
  });
  const stderr = Object.assign(new PassThrough(), { isTTY: given.terminal === true, columns: given.columns });
  const texts = { output: '', errors: '' };
  stdout.on('data', (chunk) => {
    texts.output += String(chunk);
  });
  stderr.on('data', (chunk) => {
    texts.errors += String(chunk);
  });
  if (given.input !== undefined) stdin.end(given.bytes ?? given.input);
  const state = given.environment?.['XDG_STATE_HOME'] ?? temporaryFolder('terminal');
  const requests: HttpRequest[] = [];
  const simulations: SimulationOptions[] = [];
  const host: TerminalHost = {
    argv,
    environment: { XDG_STATE_HOME: state, ...given.environment },
    stdin,
    stdout,
    stderr,
    registry: { ...registry, ...given.extra },
    catalogue: () => catalogueOf(registry),
    playbooks: async () => [],
    openApi: async () => '',
    version: '1.2.3',
    simulated: async (options) => {
      simulations.push(options);
      return widgetService(given, requests);
    },
  };
  const see = async (what: string | RegExp) => {
    const seen = () => (typeof what === 'string' ? both().includes(what) : what.test(both()));
    const both = () => texts.output + texts.errors;
    await until(seen, () => `${String(what)} was never seen in:\n${both()}`);
  };
  const code = main(host, PROGRAM);
  return {
    code,
    stdin,
    stdout,
    output: () => texts.output,
    errors: () => texts.errors,
    requests,
    simulations,
    state,
    see,
  };
}

function widgetService(given: Given, requests: HttpRequest[]): SimulatedService {
  return {
    settings: () => SETTINGS,
    transport: (clock) => ({
      send: async (request): Promise<HttpResponse> => {
        requests.push(request);
        await given.before?.(request, clock);
        const headers = { 'x-aisec-simulated': '1' };
        const refused = Object.entries(given.refuse ?? {}).find(([part]) => request.url.includes(part))?.[1];
        const value = refused === undefined ? answer(request, given.widgets ?? WIDGETS) : {};
        if (value === undefined) return { status: 404, headers, body: '{}' };
        return { status: refused ?? 200, headers, body: JSON.stringify(value) };
      },
    }),
    serve: async (port) => {
      if (given.served === undefined) throw new Error('nothing to serve');
      return given.served(port);
    },
  };
}

/** Runs the program to the end. */
export async function run(argv: readonly string[], given: Given = {}) {
  const running = start(argv, given);
  const code = await running.code;
  return { ...running, code, stdout: running.output(), stderr: running.errors() };
}

/** Runs against the widget service. */
export const rehearse = (argv: readonly string[], given: Given = {}) => run(['--simulate', ...argv], given);

export const CTRL_D = '\u0004';

/** Opens a war room, types, and leaves with Ctrl-D. */
export async function session(typed: readonly (readonly [keys: string, seen: string | RegExp])[], given: Given = {}) {
  const running = start(['--simulate'], { terminal: true, columns: 100, ...given });
  await running.see('(simulated)');
  for (const [keys, seen] of typed) {
    running.stdin.write(keys);
    await running.see(seen);
  }
  running.stdin.write(CTRL_D);
  const code = await running.code;
  return { code, stdout: running.output(), stderr: running.errors(), requests: running.requests, state: running.state };
}

/** Reads the history file of a run. */
export const historyOf = (state: string) =>
  readFileSync(join(state, 'aisec', 'history'), 'utf8')
    .trim()
    .split('\n');

export const SECRET = 'canary-issued-secret';
const Issued = record('AiSec.WidgetKey', 'Key of a widget', 'name', {
  name: string('Name.'),
  key: string('The key.', { secret: true, once: true, required: true }),
});
const issue = command('aisec-widget-key', 'Issue a key.', {
  effect: 'create',
  args: { name: text('Name.', { required: true }), key: text('Key that the widget service returns.') },
  output: one(Issued),
  example: 'name=cog',
  call: (body) => management.post(path`/v1/widgets`, body),
});

/** The command, to add to a registry. */
export const extra = { [issue.name]: async () => issue };

/** The files that a run kept in its state folder. */
export function keptIn(state: string): { path: string; mode: number; value: unknown }[] {
  const folder = join(state, 'aisec');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.map((name) => {
    const file = join(folder, name);
    return { path: file, mode: statSync(file).mode & 0o777, value: JSON.parse(readFileSync(file, 'utf8')) };
  });
}
