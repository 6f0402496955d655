/** The war room in the browser: its files, and the login of a browser. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { countRequest } from '../access/admission.ts';
import { loginCookie } from '../access/logins.ts';
import { ownerOf } from '../access/rights.ts';
import { HttpError, notFound } from '../problems.ts';
import { route, textResponse } from '../route.ts';
import type { PageFile, Service } from '../service.ts';

/**
 * Allows scripts and styles of this service only, and no HTML from a string. Reports are shown in frames of the same
 * origin.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';');

const FILE_NAMES = ['page.js', 'page.css'] as const;

const getPage = route('GET', '/', 'getPage', {
  summary: 'Get the war room.',
  description: 'Returns the page of the war room, which asks for a token.',
  isPublic: true,
  responses: { 200: textResponse('The page.', '<!doctype html>', 'text/html') },
  problems: [404],
  handle: (service, _request, reply) => sendFile(service, 'index.html', reply),
});

const getPageFile = route('GET', '/page/{file}', 'getPageFile', {
  summary: 'Get a file of the war room.',
  description: 'Returns the script or the style sheet of the page.',
  params: { file: { type: 'string', enum: FILE_NAMES, description: 'Name of the file.', examples: ['page.js'] } },
  isPublic: true,
  responses: { 200: textResponse('The file.', '', 'text/javascript') },
  problems: [404],
  handle: (service, { params }, reply) => sendFile(service, params.file, reply),
});

async function sendFile({ page }: Service, name: string, reply: FastifyReply): Promise<FastifyReply> {
  const file: PageFile | undefined = (await page()).get(name);
  if (file === undefined) throw notFound('page', 'Build the program with: npm run build.');
  return reply.header('content-security-policy', PAGE_POLICY).type(file.type).send(file.text);
}

const login = route('POST', '/login', 'login', {
  summary: 'Log a browser in.',
  description:
    'Sets a cookie that stands for a token: the code of the address that `aisec serve` prints, or a token. Other requests use the cookie only with the header `X-Aisec-Page`, which pages of other origins cannot send.',
  isPublic: true,
  body: {
    description: 'A code or a token.',
    members: {},
    optional: {
      code: { type: 'string', minLength: 1, maxLength: 100, description: 'The code of the address; it works once.' },
      token: { type: 'string', minLength: 1, maxLength: 1000, description: 'A token.' },
    },
    example: { token: 'the-token' },
  },
  maxBytes: 4096,
  responses: { 204: { description: 'The browser is logged in.' } },
  problems: [400, 401, 403, 413, 415, 429],
  handle: async (service, request, reply) => {
    const { code, token } = request.body as { readonly code?: string; readonly token?: string };
    const caller = await callerFor(service, { code, token });
    if (caller === undefined) {
      if (!(await service.slowDown.wait(request.ip))) {
        throw new HttpError(429, 'token', 'Too many wrong tokens are being refused.', {
          headers: { 'retry-after': '10' },
        });
      }
      throw new HttpError(
        401,
        'token',
        code === undefined ? 'The token is not valid.' : 'The address was used before.',
        {
          hint: 'Enter a token: aisec serve prints the token of its start, and aisec serve token NAME makes another.',
        },
      );
    }
    const tooMany =
      code === undefined ? countRequest(service.rate, ownerOf(caller, service.catalogue), reply) : undefined;
    if (tooMany !== undefined) throw tooMany;
    return reply
      .header('set-cookie', loginCookie(request, service.logins.open(caller), isSecure(request)))
      .code(204)
      .send();
  },
});

async function callerFor(
  { logins, authenticate }: Service,
  { code, token }: { readonly code: string | undefined; readonly token: string | undefined },
) {
  if (code !== undefined) return logins.takeCode(code);
  const outcome = token === undefined ? undefined : await authenticate(token.trim());
  return outcome !== undefined && 'caller' in outcome ? outcome.caller : undefined;
}

const logout = route('POST', '/logout', 'logout', {
  summary: 'Log a browser out.',
  description:
    'Ends the login of the cookie and removes the cookie. It needs no valid login and has no rate limit, so that it always works.',
  isPublic: true,
  body: { description: 'An object without members, or nothing.', members: {}, example: {} },
  maxBytes: 4096,
  responses: { 204: { description: 'The browser is logged out.' } },
  problems: [400, 403, 413, 415],
  handle: ({ logins }, request, reply) => {
    logins.close(request);
    return reply
      .header('set-cookie', loginCookie(request, undefined, isSecure(request)))
      .code(204)
      .send();
  },
});

function isSecure({ raw }: FastifyRequest): boolean {
  return 'encrypted' in raw.socket;
}

export const PAGE_ROUTES = [getPage, getPageFile, login, logout];
