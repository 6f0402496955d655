/** The guard of a scope of routes: accepted and refused callers. */
import { fastify } from 'fastify';
import { requireToken } from '../../../lib/hosts/http/access/admission.ts';
import { authenticatorOf } from '../../../lib/hosts/http/access/authenticate.ts';
import { callerOf } from '../../../lib/hosts/http/access/rights.ts';
import { testClock } from '../../support/simulated.ts';

const once = { token: 'right', caller: { name: 'start', role: 'read' } } as const;

/** Sends a request to a guarded route, in a service that has room for more refusals or not. */
async function sent(token: string | undefined, hasRoom: boolean) {
  const app = fastify();
  app.decorateRequest('caller', undefined);
  app.setErrorHandler((failure, _request, reply) => reply.code(500).send({ ...(failure as object) }));
  const slowDown = { wait: async () => hasRoom };
  let trusted = false;
  requireToken(app, { authenticate: authenticatorOf({ once, clock: testClock() }), slowDown }, () => {
    trusted = true;
    return true;
  });
  app.get('/', async (request) => callerOf(request).name);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { body, headers: answered } = await app.inject({ url: '/', headers });
  await app.close();
  return { body, challenge: answered['www-authenticate'], trusted };
}

test.each([true, false])(
  'accepts a valid token and trusts its connection, with room for more refusals: %s',
  async (hasRoom) => {
    expect(await sent('right', hasRoom)).toEqual({ body: 'start', challenge: undefined, trusted: true });
  },
);

test.each([
  ['a wrong token', 'wrong', true],
  ['no token', undefined, true],
  ['no token, while too many wrong tokens are being refused', undefined, false],
])('%s is refused, with a challenge', async (_, token, hasRoom) => {
  const { body, challenge, trusted } = await sent(token, hasRoom);
  expect([challenge, trusted]).toEqual(['Bearer', false]);
  expect(JSON.parse(body)).toMatchObject({ statusCode: 401, code: 'token' });
});

test('a further wrong token is told to retry later while too many wrong tokens are being refused', async () => {
  const { body, challenge, trusted } = await sent('wrong', false);
  expect([challenge, trusted]).toEqual([undefined, false]);
  expect(JSON.parse(body)).toEqual(
    expect.objectContaining({
      statusCode: 429,
      code: 'token',
      options: { headers: { 'retry-after': '10' } },
    }),
  );
});

test('a route without a guard has no caller', () => {
  const unguarded = { caller: undefined } as Parameters<typeof callerOf>[0];
  expect(() => callerOf(unguarded)).toThrow('The route has no guard.');
});
