/** Sessions over HTTP: lines that refer to the outputs of earlier ones. */
import { list, type Server, start } from './support.ts';

let server: Server;
beforeEach(async () => {
  server = await start();
});
afterEach(() => server.close());

async function open(): Promise<string> {
  const { status, json, headers } = await server.send('/v1/sessions', { method: 'POST', body: {} });
  expect([status, headers.location]).toEqual([201, json.url]);
  return String(json.url);
}

const say = (url: string, line: string, query = '') =>
  server.send(`${url}/lines${query}`, { method: 'POST', body: { line } });

describe('A session', () => {
  it('keeps a context that its lines refer to', async () => {
    const url = await open();
    await say(url, '!aisec-runtime-topics-list limit=1');
    const { status, json } = await say(url, '!aisec-runtime-topics-get topic_id=${AiSec.Topic.topic_id}');
    expect([status, json.number, json.line]).toEqual([
      200,
      2,
      '!aisec-runtime-topics-get topic_id=${AiSec.Topic.topic_id}',
    ]);
    const session = (await server.send(url)).json;
    expect(list(session.entries).map(({ number }) => Number(number))).toEqual([1, 2]);
    expect(session.context['AiSec']).toHaveProperty('Topic');
    expect(session).toMatchObject({ lines: 2 });
  });

  it('keeps the problem of a line as an entry', async () => {
    const url = await open();
    const { status, json } = await say(url, '!aisec-runtime-scann prompt=x');
    expect([status, json.code]).toEqual([400, 'usage']);
    const [entry] = list((await server.send(url)).json.entries);
    expect(entry).toMatchObject({ number: 1, problem: { code: 'usage' } });
  });

  it('masks the secrets of a line, and keeps its prompts', async () => {
    const url = await open();
    await say(url, '!aisec-runtime-scan profile_name=prod prompt="my words"');
    await say(
      url,
      '!aisec-redteam-targets-validate-auth auth_type=HEADERS auth_config=`{"auth_header":{"x":"s3cret-word"}}`',
    );
    const text = (await server.send(url)).text;
    expect(text).toContain('my words');
    expect(text).not.toContain('s3cret-word');
  });

  it('shows what would change in a dry run', async () => {
    const url = await open();
    const line = '!aisec-runtime-topics-create topic_name=A description=B examples=c,d';
    const { json } = await say(url, line, '?dry_run=true');
    expect(json.result).toMatchObject({ planned: true, outputs: {} });
  });

  it('ends on request', async () => {
    const url = await open();
    expect((await server.send(url, { method: 'DELETE' })).status).toBe(204);
    expect((await say(url, '!aisec-runtime-topics-list')).status).toBe(404);
  });

  it('that was used least recently is closed for the 101st', async () => {
    const first = await open();
    const second = await open();
    for (let count = 2; count < 100; count += 1) await open();
    await server.send(first);
    await open();
    expect((await server.send(first)).status).toBe(200);
    expect((await server.send(second)).status).toBe(404);
  });

  it.each([
    ['no line', {}, 400],
    ['a line that is not text', { line: 7 }, 400],
    ['a member that it does not have', { line: '!aisec-runtime-topics-list', dryRun: true }, 400],
  ])('refuses %s', async (_case, body, status) => {
    const url = await open();
    expect((await server.send(`${url}/lines`, { method: 'POST', body })).status).toBe(status);
  });
});
