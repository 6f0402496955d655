/** Builds the request for a scan: arguments by type, and the wire metadata. */

import { needs, onlyWith, type Rule } from '../../lib/runtime/arguments/rules.ts';
import { json, number, text, uuid, uuids } from '../../lib/runtime/engine/declare.ts';
import { PROMPT_SETS, TARGETS } from '../lookups.ts';

/** Sub-categories by category, such as `{SECURITY: {JAILBREAK: true}}`. */
type Categories = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** Bounds and defaults of the service; source: `docs/wire.md`. */
const STREAMS = { minimum: 1, maximum: 20 };
const BREADTH = 6;
const DEPTH = 10;

const CHOICE = { type: 'object', additionalProperties: { type: 'object', additionalProperties: { type: 'boolean' } } };
const GOALS = { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } };

export const scanArguments = {
  name: text('Name of the scan, 3 to 255 characters.', { required: true, schema: { minLength: 3, maxLength: 255 } }),
  target_uuid: uuid('Identifier of the target.', { lookup: TARGETS, required: true, positional: true }),
  job_type: text(
    'Type of the scan: STATIC runs the attack library, DYNAMIC lets agents pursue goals, CUSTOM sends prompt sets.',
    {
      default: 'STATIC',
      choices: ['STATIC', 'DYNAMIC', 'CUSTOM'],
    },
  ),
  categories: json<Categories>()(
    'Attacks of a STATIC scan, as a JSON object: category, then sub-category, then true. An empty object means all.',
    CHOICE,
  ),
  stream_breadth: number('Number of agents that work on one goal of a DYNAMIC scan in parallel, 1 to 20.', {
    default: String(BREADTH),
    schema: STREAMS,
  }),
  stream_depth: number('Maximum number of turns for one goal of a DYNAMIC scan, 1 to 20.', {
    default: String(DEPTH),
    schema: STREAMS,
  }),
  attack_goals: json<readonly string[]>()('Goals of a DYNAMIC scan, as a JSON array of texts.', GOALS),
  custom_prompt_sets: uuids('Identifiers of the prompt sets of a CUSTOM scan.', { lookup: PROMPT_SETS }),
};

/** Arguments by type. The platform sends defaults, so a default value is not an error. */
export const scanRules: readonly Rule[] = [
  onlyWith('job_type', 'STATIC', 'categories'),
  onlyWith('job_type', 'DYNAMIC', 'stream_breadth', BREADTH),
  onlyWith('job_type', 'DYNAMIC', 'stream_depth', DEPTH),
  onlyWith('job_type', 'DYNAMIC', 'attack_goals'),
  onlyWith('job_type', 'CUSTOM', 'custom_prompt_sets'),
  needs('job_type', 'CUSTOM', 'custom_prompt_sets'),
];

interface Wanted {
  readonly name: string;
  readonly target_uuid: string;
  readonly job_type: 'STATIC' | 'DYNAMIC' | 'CUSTOM';
  readonly categories: Categories | undefined;
  readonly stream_breadth: number;
  readonly stream_depth: number;
  readonly attack_goals: readonly string[] | undefined;
  readonly custom_prompt_sets: readonly string[] | undefined;
}

/** Builds the body; the service rejects metadata of another type. */
export function scanRequest({ name, target_uuid, job_type, ...wanted }: Wanted) {
  const { categories = {}, stream_breadth, stream_depth, attack_goals, custom_prompt_sets } = wanted;
  const metadata = {
    STATIC: { categories },
    DYNAMIC: { stream_breadth, stream_depth, attack_goals },
    CUSTOM: { custom_prompt_sets },
  };
  return { name, target: { uuid: target_uuid }, job_type, job_metadata: metadata[job_type] };
}
