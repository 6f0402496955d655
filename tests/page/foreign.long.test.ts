/** Pages of another origin in the browser of a person who is logged in. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exchange } from '../hosts/http/support.ts';
import { describeInBrowser, loggedIn, logInBy, type Served, serve, tabs } from './support.ts';
import { roomWith } from './views.ts';

/** What a hostile page tries. It lists the responses that it could read. */
const attackOn = (url: string, room: string) => `<!doctype html><title>foreign</title><body><script>
const read = [];
const line = JSON.stringify({ line: '!aisec-runtime-topics-list' });
const attempts = [
  ['GET', '/v1/sessions', {}],
  ['GET', '/v1/me', { headers: { 'x-aisec-page': '1' } }],
  ['POST', '/v1/sessions/${room}/lines', { body: line, headers: { 'x-aisec-page': '1', 'content-type': 'application/json' } }],
  ['POST', '/v1/sessions/${room}/lines', { body: line, mode: 'no-cors' }],
  ['POST', '/v1/sessions', { body: '{}', mode: 'no-cors' }],
  ['POST', '/logout', { body: '{}', mode: 'no-cors' }],
  ['POST', '/login', { body: '{"token": "theirs"}', mode: 'no-cors' }],
];
const send = ([method, path, more]) => fetch('${url}' + path, { method, credentials: 'include', ...more })
  .then((response) => response.text()).then((text) => { if (text !== '') read.push(path + ' ' + text); }, () => undefined);
const framed = (address) => new Promise((done) => {
  const frame = document.createElement('iframe');
  frame.onload = () => done();
  frame.src = address;
  document.body.append(frame);
});
const posted = (path, type) => new Promise((done) => {
  const target = document.createElement('iframe');
  target.name = path + type;
  document.body.append(target);
  target.onload = done;
  const form = Object.assign(document.createElement('form'), { method: 'post', action: '${url}' + path, enctype: type, target: target.name });
  const field = Object.assign(document.createElement('input'), { name: '{"line": "', value: '!aisec-runtime-topics-list"}' });
  form.append(field);
  document.body.append(form);
  form.submit();
});
const types = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'];
Promise.all([
  ...attempts.map(send),
  framed('${url}/#/room/${room}'), framed('${url}/v1/reports/x'),
  ...types.flatMap((type) => ['/v1/sessions/${room}/lines', '/logout'].map((path) => posted(path, type))),
]).then(() => { globalThis.read = read; document.title = 'done'; });
</script>`;

describeInBrowser('a page of another port', () => {
  let server: Served;
  let foreign: Server;
  let page = '';
  beforeAll(async () => {
    server = await serve();
    foreign = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(page);
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await server.stop();
    foreign.closeAllConnections();
    await new Promise((resolve) => foreign.close(resolve));
  });
  const open = tabs();

  it('reads nothing, changes nothing, cannot log the person out, and shows nothing in a frame', async () => {
    const room = await roomWith(server, []);
    page = attackOn(server.url, room);
    const tab = await open(server.url);
    await tab.page.goto(server.url);
    await logInBy(tab.page, server.token);
    await loggedIn(tab.page);
    const attacker = await tab.another();
    await attacker.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
    await attacker.waitForFunction("document.title === 'done'");
    expect(await attacker.evaluate('read')).toEqual([]);
    for (const frame of attacker.frames().slice(1))
      expect(await frame.evaluate<string>('document.body.innerText')).not.toMatch(/Room|aisec-runtime/);
    const { json } = await exchange(new URL('/v1/sessions', server.url), { token: server.token });
    expect(json.sessions).toEqual([expect.objectContaining({ id: room, lines: 0 })]);
    // The browser prints each refusal, so all of them were tried.
    const refusals = tab.complaints.splice(0).join('\n');
    for (const refusal of ['status of 403', 'status of 401', 'blocked by CORS policy', 'frame-ancestors'])
      expect(refusals).toContain(refusal);
    await tab.page.reload();
    await loggedIn(tab.page);
  });
});
