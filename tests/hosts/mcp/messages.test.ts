/** Lines over stdio: whole messages pass, and each of the others is answered. */
import { tooLong } from '../../../lib/hosts/mcp/message.ts';
import { MessageLines } from '../../../lib/hosts/mcp/stdio.ts';

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
])('the answer to a message that is too long has the id $id of $what', ({ text, id }) => {
  expect(tooLong(Buffer.from(text))).toMatchObject({ id });
});

test('a line of exactly the limit passes, whole and in order, for any chunk size', async () => {
  const ping = (id: string) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}`;
  const limit = Buffer.byteLength(ping('éa'));
  const lines = [ping('éa'), ping('éab'), '', 'no JSON', `${ping('b')}\r`, ping('é'.repeat(9)), '[]'];
  const text = `${lines.join('\n')}\n${ping('end')}`;
  for (const size of [1, 2, 7, 100, text.length]) {
    const answers: unknown[] = [];
    const reader = new MessageLines((refusal) => answers.push(refusal), limit);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
    reader.end();
    const passed: Buffer[] = [];
    for await (const chunk of reader) passed.push(chunk as Buffer);
    expect(Buffer.concat(passed).toString()).toBe(`${ping('éa')}\n\n${ping('b')}\r\n`);
    expect(answers).toMatchObject([
      { id: 'éab', error: { message: expect.stringContaining('longer than 10 MB') } },
      { id: null, error: { code: -32_700 } },
      { id: 'é'.repeat(9), error: { message: expect.stringContaining('longer than 10 MB') } },
      { id: null, error: { code: -32_600 } },
    ]);
  }
});
