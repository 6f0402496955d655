/** Public types of the guard. They name no framework and no Node type. */
import type { CallOptions, CommandResult } from '../client/types.ts';

/** The part of a client that the guard uses. */
export interface Scanner {
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CommandResult>;
}

/** Options of an adapter: `context` returns session, turn and user, by what the framework hands over. */
export interface AdapterOptions {
  readonly context?: (from: unknown) => GuardContext;
}

/** Where a text comes from and who it is for. It goes to the service with the scan, and decides nothing by itself. */
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

/** A message of a conversation, in the form that most chat interfaces share. */
export interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** A call of a tool, before it runs (`input`), after it ran (`output`), or both. */
export interface ToolCall {
  /** Name of the server, such as that of an MCP server. */
  readonly server: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly output?: unknown;
  /** Default: `mcp`. */
  readonly ecosystem?: string;
  /** Default: `tools/call`. */
  readonly method?: string;
}

export type ContentKind = 'input' | 'output' | 'tool';

/** Why a content has no complete verdict. */
export type Cause =
  | 'authentication'
  | 'permission'
  | 'profile'
  | 'usage'
  | 'quota'
  | 'rate-limit'
  | 'timeout'
  | 'network'
  | 'service'
  | 'incomplete'
  | 'unknown-action'
  | 'malformed'
  | 'unreadable'
  | 'cancelled';

/** Findings of the service, without any text of the content. */
export interface Verdict {
  readonly action: string;
  readonly category: string;
  readonly profile: string;
  /** Names of the detectors that fired, such as `injection`. */
  readonly detectors: readonly string[];
}

export interface Decision {
  readonly kind: ContentKind;
  readonly action: 'allow' | 'block' | 'mask';
  /** The masked text; set for `mask` alone. The blocked text is nowhere. */
  readonly text?: string;
  readonly verdict?: Verdict;
  /** Set where no complete verdict exists: the action follows the options, not the service. */
  readonly unscanned?: Cause;
  /** The security profile, as the options name it; set where it cannot be used. */
  readonly profile?: string;
  readonly scanId?: string;
  readonly reportId?: string;
  /** Duration of the scan, in milliseconds. */
  readonly ms: number;
  /** The verdict of an earlier scan of the same content. */
  readonly cached: boolean;
}

/** Sizes of the windows of a stream, in UTF-16 code units. */
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
  /** Uses the masked text of the service instead of blocking, where leaks are all that was found and none is left. Default: neither. */
  readonly mask?: { readonly input?: boolean; readonly output?: boolean };
  /** `all` holds a stream until its end. Default: windows. */
  readonly stream?: Windows | 'all';
  /**
   * Scans results of tools as prompts too: instructions hidden in them are found, and each result costs two scans. Default:
   * true. Turn it off where the profile looks for instructions in results of tools.
   */
  readonly resultsAsPrompts?: boolean;
  /** Scans the prompt while the model starts; its output and tools wait for the verdict. Default: false. */
  readonly parallelInput?: boolean;
  /**
   * Remembers verdicts by profile and hash of the content: no text, no error. A profile that changes keeps its remembered
   * verdicts for `ttlMs`; `revision` is read at each scan, and another one forgets them at once. Default: 5000 entries for ten
   * minutes.
   */
  readonly cache?: { readonly entries?: number; readonly ttlMs?: number; revision?: string | (() => string) } | false;
  /** Returns the message that replaces blocked content. */
  readonly message?: (decision: Decision) => string;
  /** Receives each decision, also an allow. Its errors are ignored. */
  readonly onDecision?: (decision: Decision) => void;
}

/** Text of a model on its way to its reader. */
export interface HeldStream {
  /** Adds text. @returns the text that may be shown now, often empty */
  push(text: string): Promise<string>;
  /** Ends the stream. @returns the rest that may be shown */
  end(): Promise<string>;
  /** Stops the scan under way: the reader has left. Nothing more is released. */
  cancel(): void;
  /** The block that ended the stream; else the decision about a window without a verdict, that masked, or the last one. */
  readonly decision: Decision | undefined;
  /** A part of the text was masked, whatever the decision names. */
  readonly masked: boolean;
  /** Nothing more will be released. */
  readonly blocked: boolean;
}

export interface StreamOptions {
  /** The decision about the prompt: nothing is released before it allows. */
  readonly input?: Promise<Decision>;
}

export interface Guard {
  /** Decides about a prompt, or about what is new in a conversation: its last user turn and results of tools. */
  input(content: string | readonly Message[], context?: GuardContext): Promise<Decision>;
  /** Decides about a complete response. */
  output(text: string, context?: GuardContext): Promise<Decision>;
  /** Decides about a tool call; what it returned is also scanned as a prompt. */
  tool(call: ToolCall, context?: GuardContext): Promise<Decision>;
  /** Opens a stream, which releases no text before it was scanned. */
  stream(context?: GuardContext, options?: StreamOptions): HeldStream;
  /** Returns the message that replaces blocked content. */
  message(decision: Decision): string;
  readonly parallelInput: boolean;
  /** Prompts may be masked: an adapter replaces their text before the model gets it. */
  readonly masksInput: boolean;
  /** Time limit of one scan, in milliseconds: a framework's own limit must be longer. */
  readonly timeoutMs: number;
}
