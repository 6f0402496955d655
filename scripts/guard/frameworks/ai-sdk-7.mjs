/** The adapter of the Vercel AI SDK, in the version that needs Node 22 or later. */
import { tryAiSdks } from '../ai-sdk.mjs';

await tryAiSdks([{ name: 'ai7', version: '7.0.173', openai: '4.0.118', specification: 'v4' }]);
