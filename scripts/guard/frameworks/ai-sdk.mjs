/** Tests the Vercel AI SDK adapter, in the versions that run on Node 20. */
import assert from 'node:assert/strict';
import { test as check } from 'node:test';
import { tryAiSdk } from '../ai-sdk.mjs';
import { BAD } from '../framework.mjs';
import { scriptedOpenai, toolCall } from '../models.mjs';

const { aisec: earlier } = await tryAiSdk({ version: '5.0.277', openai: '2.0.130', specification: 'v2' });
await earlier.close();
const { aisec, shows } = await tryAiSdk({ version: '6.0.325', openai: '3.0.141', specification: 'v3' });
await aisec.close();

await check('ai 6.0.325: the program of the document runs as printed', async () => {
  const server = await scriptedOpenai(({ messages, stream }) => {
    if (stream === true) return { text: BAD };
    const last = messages.at(-1);
    if (last.role === 'tool') return { text: `It says: ${last.content}` };
    return { toolCalls: [toolCall('look_up', { policy: 'P-1' })] };
  });
  try {
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'scripted' };
    await shows('ai-sdk', { env });
    await shows('ai-sdk', { env, isAway: true });
    assert.ok(server.requests.every((request) => !JSON.stringify(request).includes('Ignore')));
  } finally {
    await server.close();
  }
});
