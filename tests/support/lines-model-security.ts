import { RULES } from '../../fixtures/service/model-security/rules.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { idOf } from '../../fixtures/service/red-team/seeded-random.ts';

const { scans, groups } = MODEL_SEED_IDS;

/** Ids that the seed makes from others. */
const rule = (place: number) => idOf('rule instance', groups.production, place);
const evaluation = idOf('evaluation', scans.chat, rule(0));
const ids = {
  model: idOf('model', 'fraud-detector'),
  version: idOf('model version', 'fraud-detector', '1.4.0'),
  evaluation,
  violation: idOf('violation', `${evaluation}-0`),
  rule: RULES[0]?.uuid ?? '',
  instance: rule(5),
};
const instance = `security_group_uuid=${groups.production} rule_instance_uuid=${ids.instance}`;
const labels = 'labels=`[{"key": "env", "value": "prod"}]`';

/** One line for every command of model security; it succeeds on a simulated service in its first state. */
export const modelSecurityLines: Readonly<Record<string, string>> = {
  'aisec-model-security-scans-list': 'limit=2',
  'aisec-model-security-scans-create': `model_uri=https://hub.example.com/acme/new security_group_uuid=${groups.hub} ${labels}`,
  'aisec-model-security-scans-get': `uuid=${scans.chat}`,
  'aisec-model-security-scans-violations': `uuid=${scans.chat} limit=2`,
  'aisec-model-security-scans-violation': `uuid=${ids.violation}`,
  'aisec-model-security-scans-evaluation': `uuid=${ids.evaluation}`,
  'aisec-model-security-scans-evaluations': `scan_uuid=${scans.chat} result=FAILED`,
  'aisec-model-security-scans-files': `scan_uuid=${scans.chat} result=FAILURE`,
  'aisec-model-security-labels-keys': '',
  'aisec-model-security-labels-values': 'key=team',
  'aisec-model-security-labels-add': `scan_uuid=${scans.chat} ${labels}`,
  'aisec-model-security-labels-set': `scan_uuid=${scans.chat} ${labels}`,
  'aisec-model-security-labels-delete': `scan_uuid=${scans.chat} keys=env,team`,
  'aisec-model-security-models-list': 'latest_version_outcomes=FAILED start_time="90 days"',
  'aisec-model-security-models-get': `uuid=${ids.model}`,
  'aisec-model-security-models-versions': `model_uuid=${ids.model}`,
  'aisec-model-security-models-version-get': `uuid=${ids.version}`,
  'aisec-model-security-models-files': `model_version_uuid=${ids.version}`,
  'aisec-model-security-groups-list': '',
  'aisec-model-security-groups-get': `uuid=${groups.production}`,
  'aisec-model-security-groups-create': 'name=new source_type=STORE_A',
  'aisec-model-security-groups-update': `uuid=${groups.production} name=renamed`,
  'aisec-model-security-groups-delete': `uuid=${groups.storeC}`,
  'aisec-model-security-rules-list': 'limit=3',
  'aisec-model-security-rules-get': `uuid=${ids.rule}`,
  'aisec-model-security-rule-instances-list': `security_group_uuid=${groups.production}`,
  'aisec-model-security-rule-instances-get': instance,
  'aisec-model-security-rule-instances-update': `${instance} field_values=\`{"approved_formats": ["safetensors"]}\``,
};
