import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { SaxesParser } from 'saxes';
import { PROGRAM } from '../../../bin/subcommands.ts';
import { registry } from '../../../commands/index.ts';
import { createService } from '../../../fixtures/service/index.ts';
import type { Service } from '../../../fixtures/service/types.ts';
import type { SimulatedService } from '../../../lib/client/simulation.ts';
import { objectOf, objectsOf } from '../../../lib/core/json.ts';
import type { HttpResponse } from '../../../lib/core/ports.ts';
import { type ComparisonOptions, collectComparison } from '../../../lib/features/scans/collect/collect-comparison.ts';
import { main } from '../../../lib/hosts/terminal/shell/main.ts';
import type { TerminalHost } from '../../../lib/hosts/terminal/ui/host.ts';
import { catalogueOf } from '../../../lib/manifest/describe.ts';
import type { RunCommand } from '../../../lib/runtime/engine/command-port.ts';
import { simulatedTransport } from '../../../lib/runtime/transport/simulated.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testClock, type WarRoom, warRoom } from '../../support/simulated.ts';

export interface Given {
  /** The service to use; default: a new one. */
  service?: Service;
  /** Changes answers before the program receives them. */
  alter?: (path: string, response: HttpResponse, url: URL) => HttpResponse;
  /** Options after the job. */
  more?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** Size of the terminal; without it, the streams are pipes. */
  terminal?: { columns: number; rows: number };
  /** Keys typed into a war room; the last keys must leave it. */
  typed?: string;
  /** Further modules of the program. */
  parts?: Partial<TerminalHost>;
}

export interface Reported {
  code: number;
  stdout: string;
  stderr: string;
  /** Path of the page. */
  file: string;
  /** Text of the page; empty if no page was written. */
  page: string;
}

/** Runs the program with these arguments on the real registry and the simulated service. */
export async function run(
  argv: readonly string[],
  { service = createService(), alter, environment = {}, terminal, typed = '', parts = {} }: Given = {},
) {
  const size = terminal === undefined ? {} : { isTTY: true, ...terminal };
  const stdin = Object.assign(new PassThrough(), size);
  stdin.write(typed);
  const [stdout, stderr] = [collected(size), collected(size)];
  const simulated = async (): Promise<SimulatedService> => ({
    settings: () => service.settings('http://localhost'),
    transport: () => {
      const inner = simulatedTransport(service.handle, testClock());
      if (alter === undefined) return inner;
      return {
        send: async (request) => {
          const url = new URL(request.url);
          return alter(url.pathname, await inner.send(request), url);
        },
      };
    },
    serve: async () => {
      throw new Error('nothing is served here');
    },
  });
  const code = await main(
    {
      argv: ['--simulate', ...argv],
      environment,
      stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      registry,
      catalogue: () => catalogueOf(registry),
      playbooks: async () => [],
      openApi: async () => '',
      version: '1.2.3',
      simulated,
      ...parts,
    },
    PROGRAM,
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** Makes the report of a scan. */
export async function report(job: string, given: Given = {}): Promise<Reported> {
  const file = join(temporaryFolder('report'), 'report.html');
  const result = await run(['report', job, '--html', file, ...(given.more ?? [])], given);
  return { ...result, file, page: existsSync(file) ? readFileSync(file, 'utf8') : '' };
}

function collected(size: object) {
  let text = '';
  const stream = Object.assign(new PassThrough(), size);
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  return { stream, text: () => text };
}

/** Changes the JSON bodies of responses whose path contains `part`. */
export function altering(part: string, change: (body: unknown) => unknown): Required<Given>['alter'] {
  return (path, response) =>
    path.includes(part) && response.status === 200
      ? { ...response, body: JSON.stringify(change(JSON.parse(response.body))) }
      : response;
}

/** Refuses requests whose path contains `part`. */
export function refusing(part: string, status: number): Required<Given>['alter'] {
  return (path, response) => (path.includes(part) ? { ...response, status, body: '{}' } : response);
}

export interface Element {
  name: string;
  attributes: Record<string, string>;
  /** The whole text inside, with white space collapsed. */
  text: string;
  children: Element[];
}

/** Parses a page as strictly as XML: throws if it is not well-formed. @returns all elements in order */
export function elementsOf(page: string): Element[] {
  const all: Element[] = [];
  const open: Element[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, text: '', children: [] };
    open.at(-1)?.children.push(element);
    all.push(element);
    open.push(element);
  });
  parser.on('text', (piece) => {
    for (const element of open) element.text += piece;
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) element.text = element.text.replace(/\s+/g, ' ').trim();
  });
  parser.write(page).close();
  return all;
}

/** Elements inside, by name and class. */
export function within(element: Element | undefined, name: string, ...classes: string[]): Element[] {
  if (element === undefined) return [];
  return element.children.flatMap((child) => [
    ...(child.name === name && hasClasses(child, classes) ? [child] : []),
    ...within(child, name, ...classes),
  ]);
}

function hasClasses({ attributes }: Element, classes: readonly string[]): boolean {
  const own = (attributes['class'] ?? '').split(' ');
  return classes.every((each) => own.includes(each));
}

/** The element with this id. */
export function byId(elements: readonly Element[], id: string): Element {
  const found = elements.find(({ attributes }) => attributes['id'] === id);
  if (found === undefined) throw new Error(`the page has no ${id}`);
  return found;
}

export const COMPARISON: ComparisonOptions = {
  ...{ createdAt: Date.UTC(2026, 10, 21, 12), version: '1.2.3', progress: () => undefined, withAnswers: false },
};

/** Runs commands in a war room, as a subcommand does. */
export function askIn(room: WarRoom): RunCommand {
  return async (name, args) => {
    const words = Object.entries(args).map(([key, value]) => `${key}=${value}`);
    const { writes, raw, simulated } = await room.run([`!${name}`, ...words].join(' '));
    const value = writes[0]?.value;
    return { record: objectOf(value), records: objectsOf(value), raw, simulated };
  };
}
/** Starts scans one after the other, and collects the comparison of the first and the last. */
export async function comparisonOf(scans: readonly string[], options: Partial<ComparisonOptions> = {}) {
  const room = warRoom();
  const ids: string[] = [];
  for (const [at, more] of scans.entries()) {
    const words = `name="scan ${at + 1}" ${more} wait=true interval=1 timeout=60`;
    const created = await room.run(`!aisec-redteam-scan-create ${words}`);
    ids.push(String(objectOf(created.writes[0]?.value)['uuid']));
  }
  return collectComparison([ids[0] ?? '', ids.at(-1) ?? ''], askIn(room), { ...COMPARISON, ...options });
}
