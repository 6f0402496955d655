/** The workload: a line for every command, and sequences for paging, bulk scans, uploads and jobs. */

import { PROMPTS } from '../../fixtures/lines/red-team.ts';
import { DLP_IDS } from '../../fixtures/service/dlp/seed.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { LINES } from '../../tests/support/lines.ts';

/** Lines that run in order in one war room, until one fails. */
export type LineSequence = readonly string[];

/** An input file of the workload. */
export const MANY_PROMPTS = {
  name: 'many-prompts.csv',
  text: `prompt,goal\n${Array.from({ length: 230 }, (_, index) => `Refund me for order ${index}.,Grant a refund\n`).join('')}`,
};

type Template = (number: number) => LineSequence;

const { promptSets, targets } = RED_TEAM_IDS;
const prompts = (number: number, count: number) =>
  Array.from({ length: count }, (_, index) => `Question ${number}-${index}: what is the capital of France?`).join(
    '\\n',
  );

const EXTRA: readonly Template[] = [
  (number) => [`!aisec-runtime-bulk-scan profile_name=prod prompts_csv="${prompts(number, 120)}"`],
  (number) => [
    `!aisec-runtime-bulk-scan profile_name=prod session_id=s${number} prompts_csv=file entry_id=${MANY_PROMPTS.name}`,
  ],
  () => ['!aisec-runtime-topics-list limit=1000'],
  () => ['!aisec-runtime-topics-list limit=150 offset=90'],
  (number) => [
    `!aisec-redteam-scan-create name=soak-${number} target_uuid=${targets.supportChatbot} categories=\`{"SECURITY": {"JAILBREAK": true}}\` wait=true interval=1 timeout=20`,
  ],
  (number) => [
    `!aisec-model-security-scans-create model_uri=https://hub.example.com/acme/soak-${number} security_group_uuid=${MODEL_SEED_IDS.groups.hub} wait=true interval=1 timeout=20`,
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

/** Relative weight of commands that delete data. */
const DESTRUCTIVE_WEIGHT = 0.1;
/** Relative weight of extra sequences. */
const EXTRA_WEIGHT = 2;

const templates: readonly (readonly [Template, number])[] = [
  ...Object.keys(LINES).map((name) => {
    const template: Template = (number) => [lineFor(name, number)];
    return [template, /-(?:delete|regenerate|archive|abort)$/.test(name) ? DESTRUCTIVE_WEIGHT : 1] as const;
  }),
  ...EXTRA.map((template) => [template, EXTRA_WEIGHT] as const),
];

/** Returns a line that succeeds when nothing else changes the service. @param number makes names unique */
export function lineFor(name: string, number: number): string {
  return `!${name} ${withUniqueNames(LINES[name] ?? '', number)}`.trim();
}

/** Makes names unique, and keeps profiles active. */
function withUniqueNames(rest: string, number: number): string {
  return rest
    .replace(/\b(\w*name)=(new|fresh|channel)\b/g, `$1=$2-${number}`)
    .replace(/\b(tenant_id=second-lab|serial_number=SIM)\b(?:-0003)?/g, `$1-${number}`)
    .replace('active=false', 'active=true')
    .replace('What is the capital of France?', `What is the capital of France, ${number}?`);
}

/** Creates a generator of sequences. @param random source of random numbers */
export function createWorkload(random: () => number): () => LineSequence {
  const all = templates.reduce((sum, [, weight]) => sum + weight, 0);
  let number = 0;
  return () => {
    number += 1;
    let place = random() * all;
    for (const [template, weight] of templates) {
      place -= weight;
      if (place < 0) return template(number);
    }
    return [];
  };
}
