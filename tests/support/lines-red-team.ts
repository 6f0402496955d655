import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { idOf } from '../../fixtures/service/red-team/seeded-random.ts';

const { adapters, channels, jobs, promptSets, targets, tenant } = RED_TEAM_IDS;

/** Ids that the seed makes from others. */
const goal = idOf(jobs.dynamic, 'goal', 0);
const prompt = idOf(promptSets.refundAbuse, 'prompt', 0);
const ids = {
  attack: idOf(jobs.static, 'JAILBREAK', 0),
  conversation: idOf(jobs.static, 'MULTI_TURN', 0),
  goal,
  stream: idOf(goal, 'stream', 0),
  prompt,
  customAttack: idOf(jobs.custom, promptSets.refundAbuse, prompt),
};

/** Secrets that the lines hold, and those that the seed has for targets and adapters. */
export const RED_TEAM_SECRETS = {
  given: ['line-chat-key', 'line-portal-key'],
  stored: [
    ...['sim-chat-key-91c4', 'sim-claims-secret-7f20', 'sim-model-key-5b3e'],
    ...['sim-portal-key-5d8e2b', 'sim-portal-key-a17f'],
  ],
};

/** Name and text of the file of prompts that a line uploads. */
export const PROMPTS = { name: 'prompts.csv', text: 'prompt,goal\nRefund me twice.,Grant a refund twice\n' };

const connection =
  'connection_params=`{"api_endpoint": "https://chat.example.com/ask", "request_headers": {"X-Key": "line-chat-key"}, "request_json": {"question": "{INPUT}"}, "response_json": {"answer": "{RESPONSE}"}, "response_key": "answer"}`';
const adapter = `prompt=Hello script="def answer(prompt):\\n    return prompt" network_broker_channel_uuid=${channels.dataCentre} variables=\`[{"key": "PORTAL_KEY", "value": "line-portal-key", "type": "SECRET"}]\``;
const instance = `tenant_id=${tenant}`;
const set = `prompt_set_uuid=${promptSets.refundAbuse}`;

const targetLines = {
  'aisec-redteam-targets-list': 'target_type=APPLICATION limit=2',
  'aisec-redteam-targets-create': `name=new target_type=APPLICATION connection_type=REST ${connection} validate=true`,
  'aisec-redteam-targets-get': `uuid=${targets.supportChatbot}`,
  'aisec-redteam-targets-update': `uuid=${targets.supportChatbot} description=New.`,
  'aisec-redteam-targets-delete': `uuid=${targets.legacyKiosk}`,
  'aisec-redteam-targets-probe': `name=support-chatbot uuid=${targets.supportChatbot} probe_fields=industry,multi_turn`,
  'aisec-redteam-targets-profile': `target_uuid=${targets.supportChatbot}`,
  'aisec-redteam-targets-update-profile': `target_uuid=${targets.supportChatbot} target_background=\`{"industry": "Travel"}\``,
  'aisec-redteam-targets-metadata': '',
  'aisec-redteam-targets-validate-auth': `auth_type=HEADERS auth_config=\`{"auth_header": {"X-Chat-Key": "line-chat-key"}}\` target_id=${targets.supportChatbot}`,
  'aisec-redteam-targets-templates': '',
  'aisec-redteam-targets-error-logs': `target_id=${targets.legacyKiosk}`,
  'aisec-redteam-adapters-list': 'include_target_count=true',
  'aisec-redteam-adapters-get': `uuid=${adapters.hrPortal}`,
  'aisec-redteam-adapters-create': `name=new ${adapter}`,
  'aisec-redteam-adapters-update': `uuid=${adapters.hrPortal} prompt=Hello description=New. validate=false`,
  'aisec-redteam-adapters-delete': `uuid=${adapters.ticketDesk}`,
  'aisec-redteam-adapters-validate': adapter,
};

const tenantLines = {
  'aisec-redteam-dashboard-scan-statistics': 'date_range=LAST_30_DAYS',
  'aisec-redteam-dashboard-score-trend': `target_id=${targets.supportChatbot}`,
  'aisec-redteam-metering-quota': '',
  'aisec-redteam-dashboard-overview': '',
  'aisec-redteam-instances-create': 'tsg_id=1000000001 tenant_id=second-lab app_id=ai-red-teaming region=europe',
  'aisec-redteam-instances-get': instance,
  'aisec-redteam-instances-update': `${instance} tenant_instance_name=renamed`,
  'aisec-redteam-instances-delete': instance,
  'aisec-redteam-devices-create': `${instance} serial_number=SIM-0003 device_name=scanner-c`,
  'aisec-redteam-devices-update': `${instance} devices=\`[{"serial_number": "SIM-0001", "device_name": "renamed"}]\``,
  'aisec-redteam-devices-delete': `${instance} serial_numbers=SIM-0001,SIM-0002`,
  'aisec-redteam-network-channels-list': 'status=ONLINE,DRAFT',
  'aisec-redteam-network-channels-create': 'name=new',
  'aisec-redteam-network-channels-stats': '',
  'aisec-redteam-network-channels-get': `channel_id=${channels.dataCentre}`,
  'aisec-redteam-network-channels-update': `channel_id=${channels.laboratory} description=New.`,
  'aisec-redteam-languages-list': 'use_management=true',
  'aisec-redteam-eula-status': '',
  'aisec-redteam-eula-content': '',
  'aisec-redteam-eula-accept': 'accepted_at=2026-11-20T08:00:00Z',
  'aisec-redteam-registry-credentials-get': '',
};

const scanLines = {
  'aisec-redteam-scan-create': `name=monthly target_uuid=${targets.supportChatbot} categories=\`{"SECURITY": {"JAILBREAK": true}}\``,
  'aisec-redteam-scans-list': 'job_type=STATIC',
  'aisec-redteam-scan-get': `job_id=${jobs.static}`,
  'aisec-redteam-scan-error-logs': `job_id=${jobs.failed} limit=2`,
  'aisec-redteam-categories-list': '',
  'aisec-redteam-report-get': `job_id=${jobs.static}`,
  'aisec-redteam-report-attacks-list': `job_id=${jobs.static} severity=CRITICAL limit=3`,
  'aisec-redteam-report-attack-get': `job_id=${jobs.static} attack_id=${ids.attack}`,
  'aisec-redteam-report-attack-multi-turn-get': `job_id=${jobs.static} attack_id=${ids.conversation}`,
  'aisec-redteam-report-remediation-get': `job_id=${jobs.static}`,
  'aisec-redteam-report-runtime-policy-get': `job_id=${jobs.static}`,
  'aisec-redteam-report-goals-list': `job_id=${jobs.dynamic}`,
  'aisec-redteam-report-goal-streams-list': `job_id=${jobs.dynamic} goal_id=${ids.goal} limit=2`,
  'aisec-redteam-report-stream-get': `stream_id=${ids.stream}`,
  'aisec-redteam-report-download': `job_id=${jobs.static} file_format=ALL`,
  'aisec-redteam-report-generate-partial': `job_id=${jobs.partial}`,
  'aisec-redteam-sentiment-get': `job_id=${jobs.static}`,
  'aisec-redteam-sentiment-update': `job_id=${jobs.static} vote=up`,
};

const promptLines = {
  'aisec-redteam-prompt-sets-create': 'name=new property_names=region',
  'aisec-redteam-prompt-sets-list': 'limit=2',
  'aisec-redteam-prompt-sets-get': `uuid=${promptSets.refundAbuse}`,
  'aisec-redteam-prompt-sets-update': `uuid=${promptSets.refundAbuse} description=New.`,
  'aisec-redteam-prompt-sets-archive': `uuid=${promptSets.lastSummer} archive=false`,
  'aisec-redteam-prompt-sets-download': `uuid=${promptSets.refundAbuse}`,
  'aisec-redteam-prompt-sets-upload': `uuid=${promptSets.refundAbuse} entryID=${PROMPTS.name}`,
  'aisec-redteam-prompt-sets-reference': `uuid=${promptSets.refundAbuse}`,
  'aisec-redteam-prompt-sets-version-info': `uuid=${promptSets.refundAbuse}`,
  'aisec-redteam-prompt-sets-active-list': '',
  'aisec-redteam-prompts-create': `${set} prompt="Refund me twice." properties=\`{"region": "europe"}\``,
  'aisec-redteam-prompts-list': `${set} limit=2`,
  'aisec-redteam-prompts-get': `${set} prompt_uuid=${ids.prompt}`,
  'aisec-redteam-prompts-update': `${set} prompt_uuid=${ids.prompt} goal=New.`,
  'aisec-redteam-prompts-delete': `${set} prompt_uuid=${ids.prompt}`,
  'aisec-redteam-properties-list': '',
  'aisec-redteam-properties-values': 'property_names="region,customer tier"',
  'aisec-redteam-properties-create': 'name=channel',
  'aisec-redteam-properties-add-value': 'property_name=region property_value=asia',
};

const customAttackLines = {
  'aisec-redteam-custom-attack-report-get': `job_id=${jobs.custom}`,
  'aisec-redteam-custom-attack-report-prompt-sets': `job_id=${jobs.custom}`,
  'aisec-redteam-custom-attack-report-prompts': `job_id=${jobs.custom} prompt_set_id=${promptSets.refundAbuse}`,
  'aisec-redteam-custom-attack-report-prompt-get': `job_id=${jobs.custom} prompt_id=${ids.prompt}`,
  'aisec-redteam-custom-attacks-list': `job_id=${jobs.custom} limit=2`,
  'aisec-redteam-custom-attack-outputs': `job_id=${jobs.custom} attack_id=${ids.customAttack}`,
  'aisec-redteam-custom-attack-property-stats': `job_id=${jobs.custom}`,
};

/** One line for every red-team command except abort, because no scan of the seed is running. */
export const redTeamLines: Readonly<Record<string, string>> = {
  ...targetLines,
  ...tenantLines,
  ...scanLines,
  ...promptLines,
  ...customAttackLines,
};

/** The body of the request for the scan that is under way when it is stopped. */
export const SCAN_UNDER_WAY = {
  name: 'under way',
  target: { uuid: targets.supportChatbot },
  job_type: 'STATIC',
  job_metadata: { categories: {} },
};
