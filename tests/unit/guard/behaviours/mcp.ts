/** Drives the MCP transport: a client behind the guard, and a server that runs a tool. */
import { guardTransport, type McpTransport } from '../../../../lib/guard/adapters/mcp.ts';
import type { Driver } from './behaviours.ts';

const FORMS = ['plain', 'streamed'];
const PARSED = 'A client sends arguments that it has parsed.';
const NO_OBJECTS = 'A result is JSON: no object of a class arrives.';
const WITHOUT: readonly (readonly [title: string, reason: string])[] = [
  ['does not run a call with arguments that have a member twice', PARSED],
  ['does not run a call with arguments that are no JSON', PARSED],
  ['lets no reader see a result that is a map', NO_OBJECTS],
  ['lets no reader see a result that is an instance of a class', NO_OBJECTS],
];

function contentOf(run: () => unknown): object {
  try {
    const result = run();
    const texts = [{ type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result) }];
    return { content: Array.isArray(result) ? (result as unknown[]) : texts };
  } catch (error) {
    return { content: [{ type: 'text', text: String(error) }], isError: true };
  }
}

export const mcp: Driver = {
  adapter: 'mcp',
  without: Object.fromEntries(WITHOUT.flatMap(([title, reason]) => FORMS.map((form) => [`${title}, ${form}`, reason]))),
  call: async (guard, { input, run }) => {
    let ran = false;
    const server: McpTransport = {
      start: async () => undefined,
      close: async () => undefined,
      send: async ({ id }: { readonly id: number }) => {
        ran = true;
        server.onmessage?.({ jsonrpc: '2.0', id, result: contentOf(run) } as never);
      },
    };
    const client = guardTransport(guard, server, { server: 'mail' });
    const answered = new Promise<unknown>((done) => {
      client.onmessage = done;
    });
    const params = { name: 'send', arguments: JSON.parse(input) as unknown };
    await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params } as never);
    return { ran, read: JSON.stringify(await answered) };
  },
};
