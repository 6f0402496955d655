/** Members that all guard requests share: their schemas, and the types of validated requests. */
import { MAX_DEPTH } from '../../../core/json.ts';
import type { GuardContext, Message } from '../../../guard/types.ts';
import type { Wish } from './guards.ts';

/** Excludes control characters: the name appears in logs. */
const PRINTABLE = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$';
const NAME = { type: 'string', minLength: 1, maxLength: 100, pattern: PRINTABLE } as const;
/** Messages of one conversation; a JSON body cannot hold more values anyway. */
const MAX_MESSAGES = 10_000;

export const PROFILE = {
  ...NAME,
  description: 'Name of the security profile. A profile that the tenant does not have blocks everything.',
  examples: ['prod'],
} as const;

const CORRELATION = {
  session_id: { ...NAME, description: 'Identifier of the conversation.', examples: ['conversation-1'] },
  transaction_id: { ...NAME, description: 'Identifier of the turn.', examples: ['turn-1'] },
} as const;

const about = (description: string) => ({ type: 'string', description }) as const;

/** Source of a text. */
export const CONTEXT = {
  type: 'object',
  description: 'Where the text comes from and who it is for. It goes to the service with the scan.',
  properties: {
    ...CORRELATION,
    app_name: about('Name of the application.'),
    app_user: about('End user of the application.'),
    ai_model: about('Model behind the application.'),
    user_ip: about('IP address of the end user.'),
    agent_id: about('Identifier of the agent.'),
    agent_version: about('Version of the agent.'),
    agent_arn: about('Resource name of the agent.'),
    grounding: about('Text that an output must be supported by.'),
  },
  additionalProperties: false,
} as const;

/** The caller's overrides: at least as strict as the operator's policy. */
export const WISHES = {
  on_error: {
    type: 'string',
    enum: ['block', 'allow'],
    description:
      'What happens without a complete verdict. The default is what the operator of the service has set; `allow` is refused where that is `block`.',
  },
  mask: {
    type: 'boolean',
    description:
      '`false` blocks where the operator of the service lets masked text pass; `true` is refused where the operator has not set it.',
  },
  timeout_ms: {
    type: 'integer',
    minimum: 100,
    maximum: 30_000,
    description:
      'Time limit of one scan in milliseconds. The default is 2000. A request that sets it is blocked without a complete verdict, whatever else is set.',
  },
} as const;

export const TEXT = {
  type: 'string',
  description: 'The text to decide about; an empty text is allowed without a scan.',
} as const;

export const MESSAGES = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_MESSAGES,
  description: "A conversation. Everything after the model's last answer is scanned: the user's turn and tool results.",
  items: {
    type: 'object',
    properties: {
      role: { type: 'string', description: 'Such as `user`, `assistant`, `system` or `tool`.' },
      content: { description: `A text, or a list of parts; nested at most ${MAX_DEPTH} deep.` },
    },
    required: ['role'],
  },
} as const;

/** Members of every validated request. */
export interface Common extends Wish {
  readonly profile: string;
  readonly context?: Omit<GuardContext, 'signal'>;
}

export interface InputBody extends Common {
  readonly text?: string;
  readonly messages?: readonly Message[];
}

/** Query parameters of a stream. Personal names belong in its first event, because URLs are logged. */
export const STREAM_QUERY = { profile: PROFILE, ...CORRELATION, ...WISHES } as const;
