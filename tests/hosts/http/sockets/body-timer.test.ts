/** The time for a body is not kept for a connection that is gone. */
import { setTimeout as pause } from 'node:timers/promises';
import { expectNone } from '../../../support/expect-none.ts';
import { type Server, start } from '../support.ts';
import { sendRaw } from './raw.ts';

let server: Server;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.close());

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');

test('closing the connection clears the timer of a refused request whose body never arrives', async () => {
  const before = timers().length;
  const head =
    'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
  const answers = await Promise.all(Array.from({ length: 20 }, () => sendRaw(server.port, head)));
  expectNone(
    answers.filter((text) => !text.startsWith('HTTP/1.1 401')),
    'answers other than 401',
  );
  await pause(100);
  expect(timers().length - before).toBeLessThan(10);
});
