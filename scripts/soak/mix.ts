/** What is run: a line for every command, and others for what one line in a fresh service does not show. */
import { DLP_IDS } from '../../fixtures/service/dlp/seed.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { LINES } from '../../tests/support/lines.ts';
import { PROMPTS } from '../../tests/support/lines-red-team.ts';

/** Lines that follow each other in one war room, as long as each of them succeeds. */
export type Turn = readonly string[];

/** A file that is in the folder of the run, beside those of the lines. */
export const MANY_PROMPTS = {
  name: 'many-prompts.csv',
  text: `prompt,goal\n${Array.from({ length: 230 }, (_, index) => `Refund me for order ${index}.,Grant a refund\n`).join('')}`,
};

type Template = (number: number) => Turn;

const { promptSets, targets } = RED_TEAM_IDS;
const prompts = (number: number, count: number) =>
  Array.from({ length: count }, (_, index) => `Question ${number}-${index}: what is the capital of France?`).join(
    '\\n',
  );

const FURTHER: readonly Template[] = [
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

/** How often a line that takes something away from others comes, compared with the rest. */
const DESTROYS = 0.1;
/** How often a further turn comes. */
const FURTHER_WEIGHT = 2;

const templates: readonly (readonly [Template, number])[] = [
  ...Object.entries(LINES).map(([name, rest]) => {
    const template: Template = (number) => [`!${name} ${unlike(rest, number)}`.trim()];
    return [template, /-(?:delete|regenerate|archive|abort)$/.test(name) ? DESTROYS : 1] as const;
  }),
  ...FURTHER.map((template) => [template, FURTHER_WEIGHT] as const),
];

/** A name can be used once, and a profile that is switched off scans nothing. */
function unlike(rest: string, number: number): string {
  return rest
    .replace(/\b(\w*name)=(new|fresh|channel)\b/g, `$1=$2-${number}`)
    .replace(/\b(tenant_id=second-lab|serial_number=SIM)\b(?:-0003)?/g, `$1-${number}`)
    .replace('active=false', 'active=true')
    .replace('What is the capital of France?', `What is the capital of France, ${number}?`);
}

/** @param chance decides what comes next */
export function createMix(chance: () => number): () => Turn {
  const all = templates.reduce((sum, [, weight]) => sum + weight, 0);
  let number = 0;
  return () => {
    number += 1;
    let place = chance() * all;
    for (const [template, weight] of templates) {
      place -= weight;
      if (place < 0) return template(number);
    }
    return [];
  };
}
