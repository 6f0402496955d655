/** Tests the Vercel AI SDK adapter, in the version that needs Node 22 or later. */
import { tryAiSdk } from '../ai-sdk.mjs';

const { aisec } = await tryAiSdk({ version: '7.0.173', openai: '4.0.118', specification: 'v4' });
await aisec.close();
