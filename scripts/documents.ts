/** The schemas of documents that users write, for editors and for the validators in the build. */
import { create as target } from '../commands/red-team/targets.ts';
import { create as dictionary } from '../commands/runtime/dlp-dictionaries.ts';
import { replace as filtering } from '../commands/runtime/dlp-filtering-profiles.ts';
import { create as pattern } from '../commands/runtime/dlp-patterns.ts';
import { create as dataProfile } from '../commands/runtime/dlp-profiles.ts';
import { create as profile } from '../commands/runtime/security-profiles.ts';
import { create as topic } from '../commands/runtime/topics.ts';
import { POLICY_SCHEMA } from '../lib/features/gate/policy/policy.ts';
import { guardrailsSchema } from '../lib/features/guardrails/schema.ts';
import { withoutOwnKeywords } from '../lib/manifest/schema.ts';
import type { Schema } from '../lib/runtime/arguments/builders.ts';

/** Schemas by the name of their file. */
export const DOCUMENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  policy: POLICY_SCHEMA,
  guardrails: guardrailsSchema({
    topic: topic.args,
    profile: profile.args,
    dictionary: dictionary.args,
    pattern: pattern.args,
    dataProfile: dataProfile.args,
    filtering: filtering.args,
    target: target.args,
  }),
};

/** Writes the schemas for editors: JSON files by path. */
export function documentSchemaFiles(): (readonly [path: string, text: string])[] {
  return Object.entries(DOCUMENT_SCHEMAS).map(([name, schema]) => {
    const draft = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
    return [
      `catalogue/${name}.schema.json`,
      `${JSON.stringify({ ...draft, ...withoutOwnKeywords(schema) }, null, 2)}\n`,
    ];
  });
}
