/** Guardrails: the security profiles and custom topics that a file states. */

import type { Path, Source } from '../../documents/places.ts';
import type { Guardrails } from './schema.ts';

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
