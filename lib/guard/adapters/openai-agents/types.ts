/** The parts of the framework's interfaces that the adapter uses. The framework is not imported. */
import type { GuardContext } from '../../types.ts';

/** A message, a tool call, its result, reasoning ... of a request or an answer. */
export type Item = Readonly<Record<string, unknown>>;

export interface AgentsRequest {
  readonly input: string | readonly Item[];
  /** Variables of a prompt that is kept at the provider. */
  readonly prompt?: { readonly variables?: unknown } | undefined;
  readonly tracing?: boolean | 'enabled_without_data';
  readonly signal?: AbortSignal | undefined;
}

export interface AgentsResponse {
  readonly usage: unknown;
  readonly output: readonly Item[];
  /** Of the last event of a stream. */
  readonly id?: unknown;
  readonly responseId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly rawUsage?: unknown;
}

/** An event of a stream: `response_started`, `output_text_delta`, `response_done`, `model`. */
export type AgentsEvent = Item;

export interface OpenAiAgentsOptions {
  /** Returns session, turn and user of a request, a guardrail's arguments, or a tool call. */
  readonly context?: (from: unknown) => GuardContext;
}

/** Name of the server in scans of tools. */
export const SERVER = 'openai-agents';
