/** Address templates of harmless lines: undefined marks a variable segment. */
import { parseLine } from '../../../lib/client/argv.ts';
import type { HttpRequest, HttpResponse } from '../../../lib/core/ports.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import type { WarRoom } from '../../support/simulated.ts';
import type { Subject } from './subjects.ts';

/** Every scalar in a value as text, without undefined values. */
export function leavesOf(value: unknown): Set<string> {
  const found = new Set<string>();
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (next === undefined || next === null) continue;
    if (typeof next !== 'object') found.add(String(next));
    else for (const member of Object.values(next)) left.push(member);
  }
  return found;
}

/** The value of a JSON text; undefined for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Method and segments of an address; undefined is a placeholder for one value. */
export interface Template {
  readonly method: string;
  readonly segments: readonly (string | undefined)[];
}

/** Requests and responses of a command, and the values of its line. */
export interface Traffic {
  readonly requests: readonly HttpRequest[];
  readonly responses: readonly Pick<HttpResponse, 'body'>[];
  readonly given: ReadonlySet<string>;
}

/** Collects the traffic of a room. @param context values of the line's references */
export function trafficOf({ command }: Subject, line: string, room: WarRoom, context: WarRoom['context']): Traffic {
  const { requests, responses, runtime } = room;
  return { requests, responses, given: valuesIn(command, line, context, runtime.settings.tsg_id ?? '') };
}

function valuesIn(command: Subject['command'], line: string, context: WarRoom['context'], tenant: string): Set<string> {
  try {
    const { values, typed } = readArguments(command, parseLine(line), { context });
    return leavesOf([values, typed, tenant]);
  } catch {
    return new Set([tenant]);
  }
}

/** Not a value, unless the line contains it. */
const WORD = /^(v\d+|[a-z]+([-_][a-z]+)*)$/;

const isToken = ({ url }: HttpRequest) => url.endsWith('/oauth2/access_token');

/** Still encoded, including the origin. */
const segmentsOf = ({ url }: HttpRequest) => (url.split(/[?#]/)[0] ?? '').split('/');

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function textsOf({ responses }: Traffic): Set<string> {
  return leavesOf(responses.map(({ body }) => parsed(body)));
}

/** Returns the templates of valid requests. */
export function templatesOf(traffic: Traffic): Template[] {
  const answers = textsOf(traffic);
  const isValue = (text: string) => traffic.given.has(text) || (answers.has(text) && !WORD.test(text));
  const sent = traffic.requests.filter((request) => !isToken(request));
  return sent.map((request) => ({
    method: request.method,
    segments: segmentsOf(request).map((segment) => {
      const text = decoded(segment) ?? '';
      return text !== '' && isValue(text) ? undefined : segment;
    }),
  }));
}

/** Returns requests that follow no template, or whose variable segments have an unknown value. */
export function strays(traffic: Traffic, templates: readonly Template[]): string[] {
  let known: Set<string> | undefined;
  const isKnown = (text: string) => {
    if (traffic.given.has(text)) return true;
    known ??= textsOf(traffic);
    return known.has(text);
  };
  const sent = traffic.requests.filter((request) => !isToken(request));
  return sent
    .filter((request) => !templates.some((template) => follows(request, template, isKnown)))
    .map(({ method, url }) => `${method} ${url.slice(0, 300)}`);
}

function follows(request: HttpRequest, template: Template, isKnown: (text: string) => boolean): boolean {
  const segments = segmentsOf(request);
  if (request.method !== template.method || segments.length !== template.segments.length) return false;
  return segments.every((segment, index) => {
    const wanted = template.segments[index];
    if (wanted !== undefined) return segment === wanted;
    const text = decoded(segment);
    return text !== undefined && !isDots(segment) && isKnown(text);
  });
}

/** Reports whether a segment is `.` or `..`, however often it is encoded. */
function isDots(segment: string): boolean {
  let text = segment;
  for (let round = 0; round < 9; round += 1) text = decoded(text)?.trim() ?? text;
  return text === '' || text === '.' || text === '..';
}

/** Lists malformed requests, whatever their address. */
export function malformed({ requests }: Pick<Traffic, 'requests'>): string[] {
  return requests.flatMap((request) => {
    const { url, headers, body } = request;
    const isForm = headers['content-type']?.includes('urlencoded') === true;
    return [
      ...(new URL(url).href === url ? [] : [`an address that is read as another: ${url.slice(0, 300)}`]),
      ...(new URL(url).hash === '' ? [] : ['an address with a fragment']),
      ...Object.entries(headers)
        .filter((pair) => !pair.every((text) => /^[\t\x20-\x7e]*$/.test(text)))
        .map(([name]) => `a header that is no header: ${name}`),
      ...(body === undefined || isForm || parsed(body) !== undefined ? [] : ['a body that is no JSON']),
    ];
  });
}

/** Names in the requests' queries. */
export function queryNames({ requests }: Pick<Traffic, 'requests'>): string[] {
  return requests.flatMap(({ url }) => [...new URL(url).searchParams.keys()]);
}
