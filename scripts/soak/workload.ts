/** The workload: a line for every command, and sequences for paging, bulk scans, uploads and jobs. */
import { PROMPTS } from '../../fixtures/lines/red-team.ts';
import { DLP_IDS } from '../../fixtures/service/dlp/ids.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { LINES } from '../../tests/support/lines.ts';
import { pickWeighted } from './random.ts';

/** Lines that run in order in one war room, until one fails. */
export type LineSequence = readonly string[];

type Template = (number: number) => LineSequence;

/** An input file of the workload. */
export const MANY_PROMPTS = {
  name: 'many-prompts.csv',
  text: `prompt,goal\n${Array.from({ length: 230 }, (_, index) => `Refund me for order ${index}.,Grant a refund\n`).join('')}`,
};

const { promptSets, targets } = RED_TEAM_IDS;
const prompts = (number: number) =>
  Array.from({ length: 120 }, (_, index) => `Question ${number}-${index}: what is the capital of France?`).join('\\n');
const WAIT = 'wait=true interval=1 timeout=20';

const EXTRA: readonly Template[] = [
  (number) => [`!aisec-runtime-bulk-scan profile_name=prod prompts_csv="${prompts(number)}"`],
  (number) => [
    `!aisec-runtime-bulk-scan profile_name=prod session_id=s${number} prompts_csv=file entry_id=${MANY_PROMPTS.name}`,
  ],
  () => ['!aisec-runtime-topics-list limit=1000'],
  () => ['!aisec-runtime-topics-list limit=150 offset=90'],
  (number) => [
    `!aisec-redteam-scan-create name=soak-${number} target_uuid=${targets.supportChatbot} categories=\`{"SECURITY": {"JAILBREAK": true}}\` ${WAIT}`,
  ],
  // A scan of the tenant that runs at the start has ended when a slow machine stops it.
  (number) => [
    `!aisec-redteam-scan-create name=stopped-${number} target_uuid=${targets.supportChatbot} categories=\`{"SECURITY": {"JAILBREAK": true}}\``,
    `!aisec-redteam-scan-abort job_id='\${AiSec.RedTeamScanCreate(val.name == "stopped-${number}").uuid}'`,
  ],
  (number) => [
    `!aisec-model-security-scans-create model_uri=https://hub.example.com/acme/soak-${number} security_group_uuid=${MODEL_SEED_IDS.groups.hub} ${WAIT}`,
  ],
  (number) => {
    const topic = `soak-${number}`;
    const id = `topic_id='\${AiSec.TopicCreate(val.topic_name == "${topic}").topic_id}'`;
    return [
      `!aisec-runtime-topics-create topic_name=${topic} description=One. examples="one thing,another"`,
      `!aisec-runtime-topics-get ${id}`,
      `!aisec-runtime-topics-delete ${id}`,
    ];
  },
  (number) => {
    const uuid = `'\${AiSec.RedTeamPromptSetCreate(val.name == "soak-${number}").uuid}'`;
    return [
      `!aisec-redteam-prompt-sets-create name=soak-${number}`,
      `!aisec-redteam-prompt-sets-upload uuid=${uuid} entryID=${MANY_PROMPTS.name}`,
      `!aisec-redteam-prompts-list prompt_set_uuid=${uuid} limit=500`,
    ];
  },
  () => [`!aisec-redteam-prompt-sets-upload uuid=${promptSets.ideas} entryID=${PROMPTS.name}`],
  () => [`!aisec-runtime-dlp-profiles-get ${DLP_IDS.profiles.customerRecords} raw-response=true`],
  () => ['!aisec-redteam-targets-list', '!aisec-redteam-scans-list', '!aisec-redteam-adapters-list'],
];

/** Relative weight of extra sequences. */
const EXTRA_WEIGHT = 2;
/** Relative weight of commands that delete data. */
const DESTRUCTIVE_WEIGHT = 0.1;
const weightOf = (name: string) => (/-(?:delete|regenerate|archive|abort)$/.test(name) ? DESTRUCTIVE_WEIGHT : 1);

const TEMPLATES: readonly (readonly [Template, number])[] = [
  ...Object.keys(LINES).map((name) => [(number: number) => [lineFor(name, number)], weightOf(name)] as const),
  ...EXTRA.map((template) => [template, EXTRA_WEIGHT] as const),
];

/** Returns a line that succeeds when nothing else changes the service. @param number makes names unique */
export function lineFor(name: string, number: number): string {
  const rest = (LINES[name] ?? '')
    .replace(/\b(\w*name)=(new|fresh|channel)\b/g, `$1=$2-${number}`)
    .replace(/\b(tenant_id=second-lab|serial_number=SIM)\b(?:-0003)?/g, `$1-${number}`)
    // Profiles stay active.
    .replace('active=false', 'active=true')
    .replace('What is the capital of France?', `What is the capital of France, ${number}?`);
  return `!${name} ${rest}`.trim();
}

/** Creates a generator of sequences. @param random source of random numbers */
export function createWorkload(random: () => number): () => LineSequence {
  const all = TEMPLATES.reduce((sum, [, weight]) => sum + weight, 0);
  let number = 0;
  return () => {
    number += 1;
    return pickWeighted(TEMPLATES, random() * all)?.(number) ?? [];
  };
}
