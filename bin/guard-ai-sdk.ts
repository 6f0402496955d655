/** The module `aisec/guard/ai-sdk`: the guard around a language model of the Vercel AI SDK. */

export {
  type ApprovalCall,
  type ToolApproval,
  toolApproval,
} from '../lib/guard/adapters/ai-sdk/approval.ts';
export { guardTools, type ToolOptions } from '../lib/guard/adapters/ai-sdk/tools.ts';
export * from '../lib/guard/adapters/ai-sdk.ts';
