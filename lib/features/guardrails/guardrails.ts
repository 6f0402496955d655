/** Guardrails: the security profiles and custom topics that a file states. */

import type { JsonObject } from '../../core/json.ts';
import type { Path, Source } from '../../documents/places.ts';

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

/** Something to report about a part of the file. */
export interface Remark {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

export interface GuardrailsFile {
  readonly guardrails: Guardrails;
  readonly source: Source;
  /** Members of policies that the schema does not describe. */
  readonly undocumented: readonly Remark[];
}
