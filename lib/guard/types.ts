/** Public types of the guard. They name no framework and no Node type. */
import type { CallOptions, CommandResult } from '../client/types.ts';
import type { Decision } from './decision.ts';

export type * from './decision.ts';

/** The part of a client that the guard uses. */
export interface Scanner {
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CommandResult>;
}

/** Options of an adapter: `context` returns session, turn and user, from the framework's arguments. */
export interface AdapterOptions {
  readonly context?: (from: unknown) => GuardContext;
}

/**
 * Where a text comes from and whom it is for. It is sent to the service with the scan, and does not affect the decision
 * by itself.
 */
export interface GuardContext {
  /** Groups the turns of one conversation. */
  readonly session_id?: string;
  /** Names one turn. */
  readonly transaction_id?: string;
  readonly app_name?: string;
  readonly app_user?: string;
  readonly ai_model?: string;
  readonly user_ip?: string;
  readonly agent_id?: string;
  readonly agent_version?: string;
  readonly agent_arn?: string;
  /** Grounding text: a response must be supported by it. */
  readonly grounding?: string;
  /** Cancels the scan, for example because the reader has left. */
  readonly signal?: AbortSignal;
}

/** A message of a conversation, in the form that most chat APIs share. */
export interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** A tool call, before it runs (`input`), after it ran (`output`), or both. */
export interface ToolCall {
  /** Server name, for example of an MCP server. */
  readonly server: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly output?: unknown;
  /** Default: `mcp`. */
  readonly ecosystem?: string;
  /** Default: `tools/call`. */
  readonly method?: string;
}

/** Stream window sizes, in UTF-16 code units. */
export interface Windows {
  /** New text before the first scan; each further window is twice as long. Default: 200. */
  readonly first?: number;
  /** The longest window. Default: 1600. */
  readonly max?: number;
  /** Scanned text that is held back and scanned again with the text after it. Default: 80. */
  readonly overlap?: number;
}

export interface GuardOptions {
  /** Name of the security profile, or a function that selects it. */
  readonly profile: string | ((context: GuardContext) => string);
  /** The action when the service is unavailable or has no complete verdict. Default: `block`. */
  readonly onError?: 'block' | 'allow';
  /** Time limit of one scan, in milliseconds. Default: 2000. */
  readonly timeoutMs?: number;
  /**
   * Uses the service's masked text instead of blocking, if only leaks were found and no leak remains. Default: masks
   * neither prompts nor responses.
   */
  readonly mask?: { readonly input?: boolean; readonly output?: boolean };
  /** `all` holds a stream until its end. Default: windows. */
  readonly stream?: Windows | 'all';
  /**
   * Also scans tool results as prompts: finds instructions hidden in them, and costs two scans per result. Default:
   * true. Turn it off if the profile already looks for instructions in tool results.
   */
  readonly resultsAsPrompts?: boolean;
  /** Scans the prompt while the model starts; its output and tools wait for the verdict. Default: false. */
  readonly parallelInput?: boolean;
  /**
   * Remembers verdicts by profile and hash of the content: no text, no error. After a profile changes, its remembered
   * verdicts remain for `ttlMs`; `revision` is read at each scan, and a new value forgets them at once. Default: 5000
   * entries for ten minutes.
   */
  readonly cache?: { readonly entries?: number; readonly ttlMs?: number; revision?: string | (() => string) } | false;
  /** Returns the message that replaces blocked content. */
  readonly message?: (decision: Decision) => string;
  /** Receives each decision, including allows. Its errors are ignored. */
  readonly onDecision?: (decision: Decision) => void;
}

/** A model's text on its way to the reader. */
export interface HeldStream {
  /** Adds text. @returns the text that may be shown now, often empty */
  push(text: string): Promise<string>;
  /** Ends the stream. @returns the remaining text that may be shown */
  end(): Promise<string>;
  /** Stops the running scan because the reader has left. Nothing more is released. */
  cancel(): void;
  /**
   * The block that ended the stream; else the decision about a window without a verdict, else a mask, else the last
   * decision.
   */
  readonly decision: Decision | undefined;
  /** Whether part of the text was masked, whatever the decision. */
  readonly masked: boolean;
  /** Whether the stream has ended: nothing more will be released. */
  readonly blocked: boolean;
}

export interface StreamOptions {
  /** The decision about the prompt: nothing is released before it allows. */
  readonly input?: Promise<Decision>;
}

export interface Guard {
  /** Decides about a prompt, or about a conversation's new content: its last user turn and tool results. */
  input(content: string | readonly Message[], context?: GuardContext): Promise<Decision>;
  /** Decides about a complete response. */
  output(text: string, context?: GuardContext): Promise<Decision>;
  /** Decides about a tool call; its result is also scanned as a prompt. */
  tool(call: ToolCall, context?: GuardContext): Promise<Decision>;
  /** Opens a stream that releases text only once it is scanned. */
  stream(context?: GuardContext, options?: StreamOptions): HeldStream;
  /** Returns the message that replaces blocked content. */
  message(decision: Decision): string;
  readonly parallelInput: boolean;
  /** Whether prompts may be masked: an adapter replaces their text before the model gets it. */
  readonly masksInput: boolean;
  /** Time limit of one scan, in milliseconds: a framework's own limit must be longer. */
  readonly timeoutMs: number;
}
