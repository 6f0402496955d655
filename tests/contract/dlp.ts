import * as fields from './dlp-fields.ts';
import type { ContractArgument, ContractCommand } from './types.ts';

const pages: readonly ContractArgument[] = [
  { name: 'page', default: '0', kind: 'number' },
  { name: 'size', default: '50', kind: 'number' },
];
const dictionaryCategories = [
  'Academic',
  'Confidential',
  'Employment',
  'Financial',
  'Government',
  'Healthcare',
  'Legal',
  'Marketing',
  'Source Code',
];
const dictionaryRegions = [
  'Australia',
  'Brazil',
  'Canada',
  'France',
  'Germany',
  'India',
  'Japan',
  'Saudi Arabia',
  'Singapore',
  'Switzerland',
  'United Kingdom',
  'United States',
];
const dictionaryTypes = ['predefined', 'custom'];
const detectionTechniques = [
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
];
const confidenceLevels = ['low', 'medium', 'high'];

export const bulkScan: ContractCommand = {
  command: 'aisec-runtime-bulk-scan',
  arguments: [
    { name: 'profile_name', required: true },
    { name: 'prompts_csv', required: true },
    { name: 'session_id' },
  ],
  extensions: [
    { name: 'entry_id', kind: 'file' },
    { name: 'batch_size', kind: 'number' },
    { name: 'concurrency', kind: 'number' },
    { name: 'prompt_column', default: 'prompt' },
    { name: 'input_format' },
    { name: 'delimiter' },
    { name: 'keep_columns' },
    { name: 'scan_columns' },
    { name: 'output_file' },
    { name: 'requests_per_second', kind: 'number' },
    { name: 'resume', kind: 'boolean' },
  ],
  context: 'AiSec.BulkScan',
  outputs: fields.bulkScan,
  outputExtensions: ['file', 'decision', 'decision_cause', 'results.decision', 'results.decision_cause'],
};

const profiles: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-dlp-profiles-list',
    arguments: pages,
    context: 'AiSec.DlpProfile',
    outputs: fields.dlpProfile,
  },
  {
    command: 'aisec-runtime-dlp-profiles-get',
    arguments: [{ name: 'profile_id', required: true }],
    context: 'AiSec.DlpProfileGet',
    outputs: fields.dlpProfileGet,
  },
  {
    command: 'aisec-runtime-dlp-profiles-create',
    arguments: [
      { name: 'name', required: true },
      { name: 'detection_rules', required: true, kind: 'json' },
      { name: 'description' },
      { name: 'is_granular_data_profile', kind: 'boolean' },
    ],
    context: 'AiSec.DlpProfileCreate',
    outputs: fields.dlpProfileCreate,
  },
  {
    command: 'aisec-runtime-dlp-profiles-patch',
    arguments: [
      { name: 'profile_id', required: true },
      { name: 'name', required: true },
      { name: 'profile_type', required: true, choices: ['basic', 'advanced'] },
      { name: 'description', clears: true },
      { name: 'detection_rules', kind: 'json', clears: true },
    ],
    context: 'AiSec.DlpProfilePatch',
    outputs: fields.dlpProfileChange,
  },
  {
    command: 'aisec-runtime-dlp-profiles-replace',
    arguments: [
      { name: 'profile_id', required: true },
      { name: 'name', required: true },
      { name: 'detection_rules', required: true, kind: 'json' },
      { name: 'description' },
      { name: 'is_granular_data_profile', kind: 'boolean' },
    ],
    context: 'AiSec.DlpProfileReplace',
    outputs: fields.dlpProfileChange,
  },
  {
    command: 'aisec-runtime-dlp-profiles-delete',
    arguments: [{ name: 'profile_id', required: true }],
    context: 'AiSec.DlpProfileDelete',
    outputs: fields.dlpProfileDelete,
  },
];

const dictionaries: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-dlp-dictionaries-list',
    arguments: [...pages, { name: 'include_keywords', default: 'false', kind: 'boolean' }],
    context: 'AiSec.DlpDictionary',
    outputs: fields.dlpDictionary,
  },
  {
    command: 'aisec-runtime-dlp-dictionaries-get',
    arguments: [
      { name: 'dictionary_id', required: true },
      { name: 'include_keywords', default: 'false', kind: 'boolean' },
    ],
    context: 'AiSec.DlpDictionaryGet',
    outputs: fields.dlpDictionaryGet,
  },
  {
    command: 'aisec-runtime-dlp-dictionaries-create',
    arguments: [
      { name: 'name', required: true },
      { name: 'category', required: true, choices: dictionaryCategories },
      { name: 'region_name', required: true, default: 'United States', choices: dictionaryRegions },
      { name: 'entry_id', required: true, kind: 'file' },
      { name: 'description' },
      { name: 'is_case_sensitive', kind: 'boolean' },
      { name: 'type', choices: dictionaryTypes },
      { name: 'include_keywords', default: 'false', kind: 'boolean' },
    ],
    context: 'AiSec.DlpDictionaryCreate',
    outputs: fields.dlpDictionaryCreate,
  },
  {
    command: 'aisec-runtime-dlp-dictionaries-patch',
    arguments: [
      { name: 'dictionary_id', required: true },
      { name: 'name', required: true },
      { name: 'category', required: true, choices: dictionaryCategories },
      { name: 'original_file_name', required: true },
      { name: 'description', clears: true },
      { name: 'is_case_sensitive', kind: 'boolean', choices: ['true', 'false', 'null'], clears: true },
      { name: 'region_name', choices: dictionaryRegions, clears: true },
    ],
    context: 'AiSec.DlpDictionaryPatch',
    outputs: fields.dlpDictionaryPatch,
  },
  {
    command: 'aisec-runtime-dlp-dictionaries-replace',
    arguments: [
      { name: 'dictionary_id', required: true },
      { name: 'name', required: true },
      { name: 'category', required: true, choices: dictionaryCategories },
      { name: 'region_name', required: true, choices: dictionaryRegions },
      { name: 'entry_id', required: true, kind: 'file' },
      { name: 'description' },
      { name: 'is_case_sensitive', kind: 'boolean' },
      { name: 'type', choices: dictionaryTypes },
      { name: 'include_keywords', default: 'false', kind: 'boolean' },
    ],
    context: 'AiSec.DlpDictionaryReplace',
    outputs: fields.dlpDictionaryReplace,
  },
  {
    command: 'aisec-runtime-dlp-dictionaries-delete',
    arguments: [{ name: 'dictionary_id', required: true }],
    context: 'AiSec.DlpDictionaryDelete',
    outputs: fields.dlpDictionaryDelete,
  },
];

const patterns: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-dlp-patterns-list',
    arguments: pages,
    context: 'AiSec.DlpPattern',
    outputs: fields.dlpPattern,
  },
  {
    command: 'aisec-runtime-dlp-patterns-get',
    arguments: [{ name: 'pattern_id', required: true }],
    context: 'AiSec.DlpPatternGet',
    outputs: fields.dlpPatternGet,
  },
  {
    command: 'aisec-runtime-dlp-patterns-create',
    arguments: [
      { name: 'name', required: true },
      { name: 'type', required: true },
      { name: 'detection_technique', required: true, choices: detectionTechniques },
      { name: 'supported_confidence_levels', kind: 'list', choices: confidenceLevels },
      { name: 'description' },
      { name: 'matching_rules', kind: 'json' },
      { name: 'tags', kind: 'json' },
    ],
    context: 'AiSec.DlpPatternCreate',
    outputs: fields.dlpPatternCreate,
  },
  {
    command: 'aisec-runtime-dlp-patterns-patch',
    arguments: [
      { name: 'pattern_id', required: true },
      { name: 'name', required: true },
      { name: 'type', required: true },
      { name: 'detection_technique', required: true, choices: detectionTechniques },
      { name: 'supported_confidence_levels', kind: 'list', choices: confidenceLevels },
      { name: 'description', clears: true },
      { name: 'matching_rules', kind: 'json', clears: true },
      { name: 'tags', kind: 'json', clears: true },
    ],
    context: 'AiSec.DlpPatternPatch',
    outputs: fields.dlpPatternChange,
  },
  {
    command: 'aisec-runtime-dlp-patterns-replace',
    arguments: [
      { name: 'pattern_id', required: true },
      { name: 'name', required: true },
      { name: 'type', required: true },
      { name: 'detection_technique', required: true, choices: detectionTechniques },
      { name: 'supported_confidence_levels', kind: 'list', choices: confidenceLevels },
      { name: 'description' },
      { name: 'matching_rules', kind: 'json' },
      { name: 'tags', kind: 'json' },
    ],
    context: 'AiSec.DlpPatternReplace',
    outputs: fields.dlpPatternChange,
  },
  {
    command: 'aisec-runtime-dlp-patterns-delete',
    arguments: [{ name: 'pattern_id', required: true }],
    context: 'AiSec.DlpPatternDelete',
    outputs: fields.dlpPatternDelete,
  },
];

const filteringProfiles: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-dlp-filtering-profiles-list',
    arguments: pages,
    context: 'AiSec.DlpFilteringProfile',
    outputs: fields.dlpFilteringProfile,
  },
  {
    command: 'aisec-runtime-dlp-filtering-profiles-get',
    arguments: [{ name: 'profile_id', required: true }],
    context: 'AiSec.DlpFilteringProfileGet',
    outputs: fields.dlpFilteringProfileGet,
  },
  {
    command: 'aisec-runtime-dlp-filtering-profiles-replace',
    arguments: [
      { name: 'profile_id', required: true },
      { name: 'file_based', required: true, kind: 'boolean' },
      { name: 'non_file_based', required: true, kind: 'boolean' },
      { name: 'description' },
      { name: 'direction', choices: ['BOTH', 'UPLOAD', 'DOWNLOAD'] },
      { name: 'log_severity', choices: ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFORMATIONAL'] },
      { name: 'scan_type', choices: ['include', 'exclude'] },
      { name: 'data_profile_id', kind: 'number' },
      { name: 'euc_template_id' },
      { name: 'is_end_user_coaching_enabled', kind: 'boolean' },
      { name: 'is_granular_profile', kind: 'boolean' },
      { name: 'file_type', kind: 'list' },
    ],
    context: 'AiSec.DlpFilteringProfileReplace',
    outputs: fields.dlpFilteringProfileReplace,
  },
];

/** Data profiles, dictionaries, patterns and filtering profiles: 21 commands. */
export const dlp: readonly ContractCommand[] = [...profiles, ...dictionaries, ...patterns, ...filteringProfiles];
