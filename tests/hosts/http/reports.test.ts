/** The pages: the report of a scan, a comparison and the dashboard, with the rights of the caller. */
import { connect } from 'node:net';
import { PROGRAM } from '../../../bin/subcommands.ts';
import { toAisecError } from '../../../lib/core/errors.ts';
import { until } from '../../support/machine.ts';
import { describedResponses } from './api-documents.ts';
import { list, type Sent, startBriefly, startForAll, TOKEN, tokensOf } from './support.ts';

const [STATIC, EARLIER] = ['2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752', '94e0b7d6-5f1a-4c83-8a2e-d7c35f9b0164'];
const [LOCKED, DYNAMIC] = ['6e4d1a7c-b3f8-4952-9ce0-a8d26f5017b4', 'd61a3f90-c8b4-4e27-95d1-4a0f7e2b8c35'];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let tokens: Awaited<ReturnType<typeof madeTokens>>;
const madeTokens = () =>
  tokensOf({
    reader: 'read',
    admin: 'admin',
    runtime: { role: 'admin', toolsets: ['runtime'] },
    models: { role: 'admin', toolsets: ['model-security'] },
  });

const onResponse = describedResponses();
const server = startForAll(async () => {
  tokens = await madeTokens();
  return { onResponse, tokensFile: tokens.tokensFile };
});

async function modelScan(): Promise<string> {
  const { json } = await server.run('aisec-model-security-scans-list', {}, tokens.as('admin'));
  const blocked = list(json.outputs['AiSec.ModelSecurityScan']).find((scan) => scan.eval_outcome === 'BLOCKED');
  return String(blocked?.uuid);
}

describe('A page', () => {
  it.each([
    ['/v1/dashboard', 'What needs attention'],
    [`/v1/reports/${STATIC}`, 'Attack success rate'],
    [`/v1/comparisons/${EARLIER}/${STATIC}`, 'Newly successful'],
  ])('%s is HTML that a token of the role read gets', async (path, text) => {
    const { status, headers, text: page } = await server.send(path, tokens.as('reader'));
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page).toContain(text);
    expect(page).toContain('SIMULATED');
  });

  const BROWSER = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' };

  it.each<[path: string, view: string, headers: Readonly<Record<string, string>>]>([
    [`/v1/reports/${STATIC}`, `/#/reports/${STATIC}`, BROWSER],
    [`/v1/comparisons/${EARLIER}/${STATIC}`, `/#/compare/${EARLIER}/${STATIC}`, BROWSER],
    ['/v1/dashboard', '/#/', BROWSER],
    ['/v1/sessions/0123456789ab/report', '/#/room/0123456789ab', BROWSER],
    ['/v1/reports/%2f%2fevil.test%23', '/#/reports/%2F%2Fevil.test%23', { accept: 'text/html' }],
    ['/v1/reports/x', '/#/reports/x', { ...BROWSER, cookie: 'aisec-1=wrong' }],
  ])('%s that a person types leads to the same view of the room', async (path, view, headers) => {
    const got = await server.send(path, { token: undefined, headers });
    expect([got.status, got.headers.location, got.text]).toEqual([303, view, '']);
  });

  it.each<[title: string, path: string, sent: Sent]>([
    ['a program', '/v1/dashboard', { token: undefined }],
    ['a frame', '/v1/dashboard', { token: undefined, headers: { ...BROWSER, 'sec-fetch-dest': 'iframe' } }],
    ['a wrong token', '/v1/dashboard', { token: 'wrong', headers: BROWSER }],
    ['another route', '/v1/sessions', { token: undefined, headers: BROWSER }],
  ])('is refused to %s without a login', async (_, path, sent) => {
    const { status, headers, json } = await server.send(path, sent);
    expect([status, headers.location, json.code]).toEqual([401, undefined, 'token']);
  });

  it('of a model scan is found by its id too', async () => {
    const { status, text } = await server.send(`/v1/reports/${await modelScan()}`, tokens.as('reader'));
    expect(status).toBe(200);
    expect(text).toContain('Model scan report');
  });

  it('may run no script, load nothing, and stand in frames of the service only', async () => {
    const { headers, text } = await server.send(`/v1/reports/${STATIC}`, tokens.as('reader'));
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none';");
    expect(policy).toContain("frame-ancestors 'self';");
    expect(policy).toMatch(/sandbox (?!.*allow-scripts)/);
    expect(policy).not.toContain('script-src');
    expect(headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(text).not.toMatch(/<script|javascript:|\son\w+=/i);
  });

  it('leads from the dashboard to the reports in the room', async () => {
    const { text } = await server.send('/v1/dashboard', tokens.as('reader'));
    expect(text).toContain(`<a href="/#/reports/${STATIC}" target="_top">Open the report</a>`);
    expect(text).not.toContain('aisec report');
  });
});

it('of a war room has the starred entries, as a file without scripts', async () => {
  const { url } = (await server.send('/v1/sessions', { method: 'POST', body: {}, ...tokens.as('reader') })).json;
  const post = async (path: string, body: object) =>
    server.send(`${url}${path}`, { method: 'POST', body, ...tokens.as('reader') });
  await post('/lines', { line: '!aisec-redteam-scans-list' });
  await post('/lines', { line: '!aisec-runtime-topics-list' });
  await post('/entries/1', { starred: true });
  const { status, headers, text } = await server.send(`${url}/report`, tokens.as('reader'));
  expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
    ...[200, 'text/html; charset=utf-8', 'attachment; filename="room-report.html"'],
  ]);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none';.*sandbox (?!.*allow-scripts)/);
  expect(text).toContain('<bdi>!aisec-redteam-scans-list</bdi>');
  expect(text).toContain('<bdi>claims-agent goals</bdi>');
  expect(text).not.toContain('aisec-runtime-topics-list');
});

describe('The rights of the token', () => {
  it('leave parts of the dashboard out, and the page says so', async () => {
    const { status, text } = await server.send('/v1/dashboard', tokens.as('models'));
    expect(status).toBe(200);
    expect(text).toContain('INCOMPLETE');
    expect(text).toContain('<b>The red-team scans</b> could not be read');
  });

  it('refuse the report of a red-team scan', async () => {
    const { status, json } = await server.send(`/v1/reports/${STATIC}`, tokens.as('runtime'));
    expect([status, json.code]).toEqual([403, 'not-allowed']);
  });

  it('show the report of a model scan without the right to red-team scans', async () => {
    const { status } = await server.send(`/v1/reports/${await modelScan()}`, tokens.as('models'));
    expect(status).toBe(200);
  });

  it('refuse a page without a token', async () => {
    expect((await server.send('/v1/dashboard', { token: undefined })).status).toBe(401);
  });
});

test.each([
  [`/v1/reports/${UNKNOWN}`, 404, 'not-found'],
  ['/v1/reports/support-chatbot', 404, 'not-found'],
  ['/v1/reports/..%2F..%2Fdashboard', 404, 'not-found'],
  [`/v1/comparisons/${STATIC}/%3Cscript%3E`, 404, 'not-found'],
  [`/v1/comparisons/${STATIC}/${DYNAMIC}`, 400, 'usage'],
  [`/v1/reports/${LOCKED}`, 502, 'service'],
])('%s is the problem %i %s', async (path, status, code) => {
  const { json, headers } = await server.send(path, tokens.as('reader'));
  expect(json).toMatchObject({ status, code, hint: expect.any(String) });
  expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'self'");
});

it('ends the work on a page whose reader leaves, and limits the pages of a token', async () => {
  const codes: string[] = [];
  const dashboard = async (...[, { run }]: Parameters<typeof PROGRAM.reportPages.dashboard>) => {
    await run('aisec-runtime-topics-list', {}).catch((thrown: unknown) => codes.push(toAisecError(thrown).code));
    return '';
  };
  const reportPages = { ...PROGRAM.reportPages, dashboard, report: async () => 'page' };
  const slow = await startBriefly({
    ...{ parts: { reportPages }, limits: { reportPages: 1 } },
    client: { simulate: { latencyMs: 600_000 } },
  });
  const reader = connect(slow.port, '127.0.0.1');
  reader.write(`GET /v1/dashboard HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
  const report = () => slow.send(`/v1/reports/${STATIC}`);
  await until(async () => (await report()).status === 429);
  const { headers, json } = await report();
  expect([headers['retry-after'], json.code]).toEqual(['10', 'rate-limit']);
  reader.destroy();
  await until(async () => (await report()).status === 200);
  expect(codes).toEqual(['cancelled']);
});
