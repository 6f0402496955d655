/** Declares the list commands that supply candidates for arguments that name resources of the tenant. */
import type { Lookup } from '../lib/runtime/arguments/builders.ts';

export const SECURITY_PROFILES = named(
  'aisec-runtime-profiles-list',
  'profile',
  ['profile_id', 'id'],
  ['profile_name', 'name'],
);
export const TOPICS = named('aisec-runtime-topics-list', 'topic', ['topic_id'], ['topic_name']);
export const API_KEYS = named('aisec-runtime-api-keys-list', 'api_key', ['api_key_id', 'id'], ['api_key_name', 'name']);
export const CUSTOMER_APPS = named(
  'aisec-runtime-customer-apps-list',
  'app',
  ['customer_appId', 'id'],
  ['app_name', 'name'],
);

export const DLP_PROFILES = named('aisec-runtime-dlp-profiles-list', 'profile', ['id']);
export const DLP_PATTERNS = named('aisec-runtime-dlp-patterns-list', 'pattern', ['id']);
export const DLP_DICTIONARIES = named('aisec-runtime-dlp-dictionaries-list', 'dictionary', ['id']);
export const FILTERING_PROFILES = named('aisec-runtime-dlp-filtering-profiles-list', 'profile', ['id']);

export const TARGETS = named('aisec-redteam-targets-list', 'target');
export const RED_TEAM_SCANS = named('aisec-redteam-scans-list', 'scan');
export const PROMPT_SETS = named('aisec-redteam-prompt-sets-list', 'prompt_set');
export const ADAPTERS = named('aisec-redteam-adapters-list', 'adapter');
export const NETWORK_CHANNELS = named('aisec-redteam-network-channels-list', 'channel');

export const ATTACKS = inside('job_id', named('aisec-redteam-report-attacks-list', 'attack', ['uuid'], []));
export const CUSTOM_ATTACKS: Lookup = {
  ...inside('job_id', named('aisec-redteam-custom-attacks-list', 'attack', ['attack_id'], [])),
  member: 'attacks',
};
export const ATTACK_PROMPTS: Lookup = { ...CUSTOM_ATTACKS, noun: 'prompt', id: ['prompt_id'] };
export const GOALS = inside('job_id', named('aisec-redteam-report-goals-list', 'goal', ['uuid'], []));
export const STREAMS = inside('goal_id', named('aisec-redteam-report-goal-streams-list', 'stream', ['uuid'], []));
export const PROMPTS = inside('prompt_set_uuid', named('aisec-redteam-prompts-list', 'prompt', ['uuid'], []));

export const MODELS = named('aisec-model-security-models-list', 'model');
export const SECURITY_GROUPS = named('aisec-model-security-groups-list', 'security_group');
export const SECURITY_RULES = named('aisec-model-security-rules-list', 'security_rule');
export const MODEL_SCANS = named('aisec-model-security-scans-list', 'scan', ['uuid'], ['model_uri']);

export const MODEL_VERSIONS = inside(
  'model_uuid',
  named('aisec-model-security-models-versions', 'version', ['uuid'], []),
);
export const RULE_INSTANCES: Lookup = {
  ...inside('security_group_uuid', named('aisec-model-security-rule-instances-list', 'rule_instance', ['uuid'], [])),
  member: 'rule_instances',
};
export const VIOLATIONS: Lookup = {
  ...inside('scan_uuid', named('aisec-model-security-scans-violations', 'violation', ['uuid'], [])),
  member: 'violations',
};
export const EVALUATIONS: Lookup = {
  ...inside('scan_uuid', named('aisec-model-security-scans-evaluations', 'evaluation', ['uuid'], [])),
  member: 'evaluations',
};

/** Declares that the list needs an argument of the command. Without it, only the context provides ids. */
function inside(argument: string, lookup: Lookup): Lookup {
  return { ...lookup, within: [argument] };
}

/** Declares that the argument takes the name, not the id. */
export function byName(lookup: Lookup): Lookup {
  return { ...lookup, takes: 'name' };
}

/**
 * Declares a lookup.
 * @param id fields that hold the id: of the response, then of the context
 * @param name fields that hold the name
 */
function named(
  command: string,
  noun: string,
  id: readonly string[] = ['uuid'],
  name: readonly string[] = ['name'],
): Lookup {
  return { command, noun, id, name };
}
