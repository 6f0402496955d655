import {
  DlpPattern,
  DlpPatternCreate,
  DlpPatternDelete,
  DlpPatternGet,
  DlpPatternPatch,
  DlpPatternReplace,
} from '../../context/runtime/dlp-patterns.ts';
import {
  command,
  dlp,
  type JsonObject,
  json,
  list as levels,
  MERGE_PATCH,
  many,
  notClearable,
  one,
  pages,
  path,
  text,
} from '../../lib/runtime/engine/declare.ts';
import { DLP_PATTERNS } from '../lookups.ts';

/** Path of the data patterns. */
const all = path`/v2/api/data-patterns`;
const pattern = (id: string) => path`/v2/api/data-patterns/${id}`;

const TECHNIQUES = [
  'edm',
  'document_fingerprint',
  'trainable_classifier',
  'ml_document',
  'regex',
  'weighted_regex',
  'ml',
  'titus_tag',
  'wildfire',
  'file_property',
  'dictionary',
  'pab',
  'document_classifier',
] as const;
const TYPES = { hints: ['custom', 'predefined', 'file_property'] } as const;

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };

const MATCHING_RULES = {
  type: 'object',
  properties: {
    proximity_distance: { type: 'integer', minimum: 2, maximum: 1000 },
    proximity_keywords: TEXTS,
    delimiter: TEXT,
    regexes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['regex'],
        properties: { regex: { type: 'string', minLength: 1 }, weight: { type: 'number' } },
      },
    },
    metadata_criteria: { type: 'array', items: { type: 'object' } },
  },
};
const TAGS = { type: 'object', properties: { classification: TEXTS, compliance: TEXTS, geography: TEXTS } };

const matching =
  'Matching rules: a JSON object with proximity_distance (2 to 1000), proximity_keywords, delimiter, regexes ({regex, weight}) and metadata_criteria.';
const tagged = 'Tags: a JSON object with the arrays classification, compliance and geography.';
const description = 'Description of the data pattern.';

const pattern_id = text('Identifier of the data pattern.', { lookup: DLP_PATTERNS, required: true, positional: true });
const detection_technique = text('Detection technique of the data pattern.', { required: true, choices: TECHNIQUES });
const supported_confidence_levels = levels('Confidence levels that the data pattern supports.', {
  choices: ['low', 'medium', 'high'],
});

const whole = {
  name: text('Name of the data pattern, 1 to 64 characters.', {
    required: true,
    schema: { minLength: 1, maxLength: 64 },
  }),
  type: text('Type of the data pattern.', { required: true, ...TYPES }),
  detection_technique,
  supported_confidence_levels,
  description: text(description),
  matching_rules: json<JsonObject>()(matching, MATCHING_RULES),
  tags: json<JsonObject>()(tagged, TAGS),
};

interface Detection {
  detection_technique: string;
  supported_confidence_levels: readonly string[] | undefined;
}

/** Builds the body: technique and confidence levels form one member. */
const body = <Given extends Detection>({ detection_technique, supported_confidence_levels, ...args }: Given) => ({
  ...args,
  detection_config: { technique: detection_technique, supported_confidence_levels },
});

const EXAMPLE =
  'name="Customer Number" type=custom detection_technique=weighted_regex supported_confidence_levels=high,low matching_rules=`{"proximity_distance": 100, "regexes": [{"regex": "C-[0-9]{8}", "weight": 1}]}`';

export const list = command('aisec-runtime-dlp-patterns-list', 'List one page of the DLP data patterns.', {
  effect: 'read',
  args: pages,
  output: many(DlpPattern),
  call: ({ page, size }) => dlp.list(all, { items: 'content', offset: page, limit: size }),
});

export const get = command('aisec-runtime-dlp-patterns-get', 'Get a DLP data pattern.', {
  effect: 'read',
  args: { pattern_id },
  output: one(DlpPatternGet),
  call: ({ pattern_id }) => dlp.get(pattern(pattern_id)),
});

export const create = command('aisec-runtime-dlp-patterns-create', 'Create a DLP data pattern.', {
  effect: 'create',
  args: { ...whole, name: { ...whole.name, positional: true } },
  output: one(DlpPatternCreate),
  example: EXAMPLE,
  call: (args) => dlp.post(all, body(args)),
});

export const patch = command(
  'aisec-runtime-dlp-patterns-patch',
  'Patch a DLP data pattern by a JSON merge patch; omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      pattern_id,
      name: notClearable('Name of the data pattern.'),
      type: notClearable('Type of the data pattern.', TYPES),
      detection_technique,
      supported_confidence_levels,
      description: text(description, { clearable: true }),
      matching_rules: json<JsonObject>()(matching, MATCHING_RULES, { clearable: true }),
      tags: json<JsonObject>()(tagged, TAGS, { clearable: true }),
    },
    output: one(DlpPatternPatch),
    call: ({ pattern_id, ...args }) => dlp.patch(pattern(pattern_id), body(args), MERGE_PATCH),
  },
);

export const replace = command(
  'aisec-runtime-dlp-patterns-replace',
  'Replace a DLP data pattern; omitted fields are lost.',
  {
    effect: 'replace',
    args: { pattern_id, ...whole },
    output: one(DlpPatternReplace),
    call: ({ pattern_id, ...args }) => dlp.put(pattern(pattern_id), body(args)),
  },
);

export const remove = command(
  'aisec-runtime-dlp-patterns-delete',
  'Archive a DLP data pattern that no active data profile refers to.',
  {
    effect: 'delete',
    args: { pattern_id },
    output: one(DlpPatternDelete),
    hints: {
      400: 'An active data profile may refer to the pattern, which prevents its deletion: find the profile with !aisec-runtime-dlp-profiles-list, remove the pattern from its detection_rules, and repeat.',
    },
    call: ({ pattern_id }) => dlp.delete(pattern(pattern_id)),
  },
);
