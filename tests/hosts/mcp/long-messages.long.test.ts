/** Messages over stdio that are too long: each is answered, and the connection goes on. */
import { PassThrough } from 'node:stream';
import { serveAgents } from '../../../lib/hosts/mcp/main.ts';
import { BoundedLines, MAX_MESSAGE_BYTES } from '../../../lib/hosts/mcp/stdio/bounded-lines.ts';
import { IdScan } from '../../../lib/hosts/mcp/stdio/request-id.ts';
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

test.each([
  { what: 'the last of two ids', text: '{"id":1,"method":"a","id":2}', id: 2 },
  { what: 'an escaped name', text: '{"\\u0069d":3,"method":"a"}', id: 3 },
  { what: 'an id with spaces', text: ' { "method" : "a" , "id" : 4 } ', id: 4 },
  { what: 'quotes in a text', text: '{"params":{"x":"\\\\\\",\\"id\\":5"},"method":"a","id":"\\"}{"}', id: '"}{' },
  { what: 'an id in the arguments', text: '{"method":"a","params":{"id":5}}', id: null },
  { what: 'an id in a text', text: '{"method":"a","params":"\\"id\\":5,"}', id: null },
  { what: "an answer, whose id is the server's", text: '{"id":1,"result":{}}', id: null },
  { what: 'an id that is an object', text: '{"method":"a","id":{"a":1}}', id: null },
  { what: 'an id that is a list', text: '{"method":"a","id":[1]}', id: null },
  { what: 'an id that is null', text: '{"method":"a","id":null}', id: null },
  { what: 'a fraction', text: '{"method":"a","id":1.5}', id: null },
  { what: 'a number beyond the integers', text: '{"method":"a","id":1e400}', id: null },
  { what: 'a long id', text: `{"method":"a","id":"${'x'.repeat(300)}"}`, id: null },
  { what: 'a list of requests', text: '[{"method":"a","id":1}]', id: null },
  { what: 'JSON without its end', text: '{"method":"a","id":1', id: null },
  { what: 'too many ends', text: '{"method":"a","id":1}}', id: null },
])('the id of $what is $id for any chunk boundaries', ({ text, id }) => {
  for (const size of [1, 3, text.length]) {
    const scan = new IdScan();
    for (let at = 0; at < text.length; at += size) scan.read(Buffer.from(text).subarray(at, at + size));
    expect(scan.id()).toBe(id);
  }
});

test('a line of exactly the limit passes, whole and in order, for any chunk size', async () => {
  for (const size of [1, 2, 5, 7, 100]) {
    const ids: unknown[] = [];
    const lines = new BoundedLines(
      (id) => ids.push(id),
      () => true,
      5,
    );
    const text = '12345\n\nab\r\n123456\nü12\né1234\nend';
    for (let at = 0; at < Buffer.byteLength(text); at += size) lines.write(Buffer.from(text).subarray(at, at + size));
    lines.end();
    const passed: Buffer[] = [];
    for await (const chunk of lines) passed.push(chunk as Buffer);
    expect({ size, ids, text: Buffer.concat(passed).toString() }).toEqual({
      size,
      ids: [null, null],
      text: '12345\n\nab\r\nü12\n',
    });
  }
});
