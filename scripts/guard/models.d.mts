/** What the scripted model answers. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly toolCalls?: readonly object[];
  /** Choices of the chunks of a stream, one by one. */
  readonly choices?: readonly object[];
  /** The stream stays open until its client leaves. */
  readonly isEndless?: boolean;
  readonly status?: number;
}

export interface ScriptedOpenai {
  /** The address for `OPENAI_BASE_URL`. */
  readonly url: string;
  /** Bodies of the requests. */
  readonly requests: readonly object[];
  /** Number of clients that left before the end. */
  readonly left: number;
  close(): Promise<void>;
}

export function scriptedOpenai(answer: (body: object) => ScriptedAnswer): Promise<ScriptedOpenai>;
