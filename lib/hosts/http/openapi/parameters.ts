/** Shared parameters. */
import type { JsonSchema } from '../../../manifest/schema.ts';

/** A path parameter. */
export function pathParameter(name: string, description: string, example: string): JsonSchema {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example };
}

/** A query parameter. */
export function queryParameter(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'query', description, schema };
}

/** Shared parameters by name. */
export const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  DryRun: queryParameter('dry_run', 'Shows what would change, and changes nothing.', {
    type: 'boolean',
    default: false,
  }),
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A text for each piece of work: the same key and request give the same response for a day, with the header `Idempotent-Replayed`.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`respond-async`: respond at once with a run that does the work.',
    schema: { type: 'string', examples: ['respond-async'] },
  },
};
