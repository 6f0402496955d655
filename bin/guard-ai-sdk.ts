/** The module `aisec/guard/ai-sdk`: the guard around a language model of the Vercel AI SDK. */

export {
  type ApprovalCall,
  guardTools,
  type ToolApproval,
  type ToolOptions,
  toolApproval,
} from '../lib/guard/adapters/ai-sdk/tools.ts';
export * from '../lib/guard/adapters/ai-sdk.ts';
