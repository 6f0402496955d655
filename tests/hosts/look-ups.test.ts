/** Counts how often each host loads the declaration of a called command. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countedRegistry } from '../support/counted-registry.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/machine.ts';
import { type Server, start as startService } from './http/support.ts';
import { closeConnectionsAfterEach, connect } from './mcp/support.ts';
import { rehearse, session, registry as widgets } from './terminal-support.ts';

const NAME = 'aisec-runtime-topics-list';

describe('The terminal loads a command once', () => {
  const { registry, loads } = countedRegistry(widgets);
  const LINE = '!aisec-widget-list limit=1';

  it.each([
    ['the command line', () => rehearse([LINE], { extra: registry })],
    ['a pipe', () => rehearse([], { extra: registry, input: `${LINE}\n` })],
    ['a war room', () => session([[`${LINE}\r`, 'cog']], { extra: registry })],
  ])('for a line of %s', async (_, ran) => {
    loads.splice(0);
    expect([(await ran()).code, loads]).toEqual([0, ['aisec-widget-list']]);
  });
});

describe.each([
  ['without an audit', undefined],
  ['with an audit', join(temporaryFolder('audit'), 'audit.jsonl')],
])('The service %s loads a command once', (_, auditFile) => {
  const { registry, loads } = countedRegistry();
  let server: Server;
  let lines = '';
  beforeAll(async () => {
    server = await startService({ parts: { registry }, ...(auditFile === undefined ? {} : { auditFile }) });
    const { json } = await server.send('/v1/sessions', { method: 'POST', body: {} });
    lines = `${json.url}/lines`;
  });
  beforeEach(() => loads.splice(0));
  afterAll(() => server.close());

  let requests = 1;
  /** Waits until the audit has a line for each request, because the line is written after the response. */
  const audited = async () => {
    if (auditFile === undefined) return;
    const written = () => readFileSync(auditFile, 'utf8').split('"event":"request"').length - 1;
    await until(async () => written() === requests);
  };
  const line = (headers = {}) => server.send(lines, { method: 'POST', body: { line: `!${NAME} limit=1` }, headers });
  const later = { prefer: 'respond-async' };

  it.each([
    ['a call', 200, () => server.run(NAME, { limit: 1 })],
    ['a call with a key', 200, () => server.run(NAME, {}, { headers: { 'idempotency-key': 'a' } })],
    ['a dry run', 200, () => server.run(NAME, {}, { query: '?dry_run=true' })],
    ['a run', 202, () => server.run(NAME, { limit: 1 }, { headers: later })],
    ['a line', 200, () => line()],
    ['a run of a line', 202, () => line(later)],
  ])('for %s', async (_what, status, send) => {
    const got = await send();
    if (status === 202) expect((await server.send(got.json.eventsUrl)).text).toContain('"succeeded"');
    requests += status === 202 ? 2 : 1;
    await audited();
    expect([got.status, loads]).toEqual([status, [NAME]]);
  });
});

describe('The MCP server loads a command once', () => {
  closeConnectionsAfterEach();

  it.each([
    ['a command that has its own tool', NAME, { limit: 1 }],
    ['aisec_read', 'aisec_read', { command: NAME, arguments: { limit: 1 } }],
  ])('for a call to %s', async (_, tool, args) => {
    const { registry, loads } = countedRegistry();
    const { call } = await connect({ parts: { registry }, tools: NAME });
    loads.splice(0);
    const { isError } = await call(tool, args);
    expect([isError, loads]).toEqual([false, [NAME]]);
  });
});
