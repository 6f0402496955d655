/** Messages over stdio that are too long: each is answered, and the connection goes on. */
import { PassThrough } from 'node:stream';
import { serveAgents } from '../../../lib/hosts/mcp/main.ts';
import { MAX_MESSAGE_BYTES } from '../../../lib/hosts/mcp/message.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TEST_TIME } from '../../support/simulated.ts';
import { parts } from './support.ts';

const PING = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
const LONG = 'x'.repeat(MAX_MESSAGE_BYTES);
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Writes lines to a server, then a ping. @returns its answers until that of the ping */
async function answersTo(
  lines: readonly string[],
): Promise<{ id: unknown; error?: { code: number; message: string } }[]> {
  const [stdin, stdout, ending] = [new PassThrough(), new PassThrough(), new AbortController()];
  const client = { simulate: { now: TEST_TIME }, filesDirectory: temporaryFolder('agents') };
  const served = serveAgents(
    parts,
    { readOnly: false, allowSecrets: false, client },
    { stdin, stdout, note: () => undefined, signal: ending.signal },
  );
  for (const line of [JSON.stringify(INITIALIZE), ...lines, JSON.stringify(PING('last'))]) stdin.write(`${line}\n`);
  let text = '';
  for await (const chunk of stdout) {
    text += String(chunk);
    if (/"id":"last"[^\n]*\n/.test(text)) break;
  }
  ending.abort();
  await served;
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ id }) => id !== 0 && id !== 'last');
}

test.each([
  { what: 'a number before its content', line: JSON.stringify({ ...PING(7), params: { x: LONG } }), id: 7 },
  { what: 'a text after its content', line: `{"method":"ping","params":{"x":"${LONG}"},"id":"a\\n"}`, id: 'a\n' },
  { what: 'no id', line: JSON.stringify({ jsonrpc: '2.0', method: 'ping', params: { x: LONG } }), id: null },
  { what: 'no JSON', line: LONG + LONG, id: null },
])('a long message with $what is answered with an error, and the next message as usual', async ({ line, id }) => {
  expect(await answersTo([line, line])).toEqual(
    [id, id].map((each) => ({
      jsonrpc: '2.0',
      id: each,
      error: { code: -32_600, message: expect.stringContaining('longer than 10 MB') },
    })),
  );
});
