/** Answers with the guard's message instead of the text of a model, in the form of each version of the SDK. */
import type { Decision, Guard } from '../../types.ts';
import type { Generated } from './answer.ts';
import type { Part } from './parts.ts';

/** Versions of the SDK's interface of models: `ai` 5 has v2, 6 has v3, 7 has v4. */
const SPECIFICATIONS = ['v2', 'v3', 'v4'] as const;
export type Specification = (typeof SPECIFICATIONS)[number];

/** Checks the version of a model. @throws TypeError for an unknown one */
export function versionOf(specification: unknown): Specification {
  const version = SPECIFICATIONS.find((known) => known === specification);
  if (version !== undefined) return version;
  const names = SPECIFICATIONS.join(', ');
  throw new TypeError(`The guard knows models of the specifications ${names}, not ${String(specification)}.`);
}

function finishReason(version: Specification) {
  return version === 'v2' ? 'content-filter' : { unified: 'content-filter', raw: 'aisec' };
}

const NOTHING_USED = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

function usageOf(version: Specification) {
  if (version === 'v2') return NOTHING_USED;
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
}

/** Returns an answer that refuses the call. @param generated the answer that is blocked: its price stays, its text does not */
export function refusedResult(
  guard: Guard,
  decision: Decision,
  version: Specification,
  generated?: Generated,
): Generated {
  const { id, timestamp, modelId } = generated?.response ?? {};
  return {
    content: [{ type: 'text', text: guard.message(decision) }],
    finishReason: finishReason(version),
    usage: generated?.['usage'] ?? usageOf(version),
    warnings: [],
    ...(generated?.response === undefined ? {} : { response: { id, timestamp, modelId } }),
  };
}

/** Returns the parts that end a stream with the guard's message. */
export function refusalParts(guard: Guard, decision: Decision, version: Specification): Part[] {
  const id = 'aisec-refusal';
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: guard.message(decision) },
    { type: 'text-end', id },
    { type: 'finish', finishReason: finishReason(version), usage: usageOf(version) },
  ];
}
