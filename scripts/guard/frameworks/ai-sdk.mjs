/** The adapter of the Vercel AI SDK, in the versions that run on Node 20. */
import { tryAiSdks } from '../ai-sdk.mjs';

await tryAiSdks([
  { name: 'ai5', version: '5.0.277', specification: 'v2' },
  { name: 'ai6', version: '6.0.325', specification: 'v3' },
]);
