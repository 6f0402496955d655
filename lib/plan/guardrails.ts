/** Guardrails: the security profiles and custom topics that a file states. */
import type { Source } from '../documents/places.ts';
import type { JsonObject } from '../json.ts';

export interface TopicEntry {
  readonly name: string;
  readonly description?: string;
  readonly examples?: readonly string[];
}

export interface ProfileEntry {
  readonly name: string;
  readonly active?: boolean;
  readonly policy?: JsonObject;
}

/** The members as the file has them; `catalogue/guardrails.schema.json` describes them. */
export interface Guardrails {
  /** Undefined: the file says nothing about topics. */
  readonly topics?: readonly TopicEntry[];
  readonly profiles?: readonly ProfileEntry[];
}

/** Guardrails with the lines of their parts. */
export interface GuardrailsFile {
  readonly guardrails: Guardrails;
  readonly source: Source;
  /** Sentences about members that are not documented; they are sent as they are. */
  readonly warnings: readonly string[];
}
