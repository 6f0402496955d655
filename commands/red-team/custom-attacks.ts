import {
  CustomAttackOutput,
  CustomAttackPrompt,
  CustomAttackPromptGet,
  CustomAttackPropertyStat,
  CustomAttackReport,
  CustomAttackReportPromptSet,
  CustomAttacks,
} from '../../context/red-team/custom-attacks.ts';
import { textFilter } from '../../lib/runtime/api/find.ts';
import {
  command,
  flag,
  type JsonObject,
  limit,
  many,
  one,
  paged,
  path,
  redTeamData,
  skip,
  text,
  uuid,
  window,
} from '../../lib/runtime/engine/declare.ts';
import { ATTACK_PROMPTS, CUSTOM_ATTACKS, PROMPT_SETS } from '../lookups.ts';
import { FINDINGS, job_id } from './report-family.ts';

const hints = FINDINGS;
const threat = 'Return only attacks that succeeded (true), or only other attacks (false).';
const search = text('Return only prompts that contain this text, in the prompt or in its goal.');
const SEARCHED = ['prompt_text', 'goal'];
const isThreat = ({ threat }: JsonObject) => threat === true;

export const report = command('aisec-redteam-custom-attack-report-get', 'Get the report of a custom red-team scan.', {
  effect: 'read',
  args: { job_id },
  output: one(CustomAttackReport),
  hints,
  call: ({ job_id }) => redTeamData.get(path`/v1/custom-attacks/report/${job_id}`),
});

export const promptSets = command(
  'aisec-redteam-custom-attack-report-prompt-sets',
  'List the results of a custom red-team scan by prompt set.',
  {
    effect: 'read',
    args: { job_id, ...window },
    output: many(CustomAttackReportPromptSet),
    hints,
    call: ({ job_id, ...range }) =>
      redTeamData.list(path`/v1/custom-attacks/report/${job_id}/prompt-sets`, { items: 'prompt_sets', ...range }),
  },
);

export const prompts = command(
  'aisec-redteam-custom-attack-report-prompts',
  'List the results of a custom red-team scan by prompt, for one prompt set.',
  {
    effect: 'read',
    args: {
      job_id,
      prompt_set_id: uuid('Identifier of the prompt set.', { lookup: PROMPT_SETS, required: true }),
      is_threat: flag(threat),
      skip: skip(),
      limit: limit(50),
      search,
    },
    output: { ...many(CustomAttackPrompt), priority: isThreat },
    hints,
    call: ({ job_id, prompt_set_id, limit, skip, ...query }) =>
      redTeamData.list(path`/v1/custom-attacks/report/${job_id}/prompt-set/${prompt_set_id}/prompts`, {
        items: 'items',
        limit,
        offset: skip,
        query,
        filter: textFilter(query.search, SEARCHED),
      }),
  },
);

export const prompt = command(
  'aisec-redteam-custom-attack-report-prompt-get',
  'Get a prompt of a custom red-team scan with the responses of the target.',
  {
    effect: 'read',
    args: { job_id, prompt_id: uuid('Identifier of the prompt.', { lookup: ATTACK_PROMPTS, required: true }) },
    output: one(CustomAttackPromptGet),
    hints,
    call: ({ job_id, prompt_id }) => redTeamData.get(path`/v1/custom-attacks/report/${job_id}/prompt/${prompt_id}`),
  },
);

export const attacks = command('aisec-redteam-custom-attacks-list', 'List the attacks of a custom red-team scan.', {
  effect: 'read',
  args: {
    job_id,
    threat: flag(threat),
    prompt_set_id: uuid('Return only attacks with prompts of this prompt set.', { lookup: PROMPT_SETS }),
    property_value: text(
      'Return only attacks whose prompt has these properties: JSON text, such as {"team": "claims"}.',
    ),
    skip: skip(),
    limit: limit(50),
    search,
  },
  output: { ...paged(CustomAttacks, 'attacks'), priority: isThreat },
  hints,
  call: ({ job_id, limit, skip, ...query }) =>
    redTeamData.list(path`/v1/custom-attacks/job/${job_id}/list-custom-attacks`, {
      items: 'data',
      limit,
      offset: skip,
      query,
      filter: textFilter(query.search, SEARCHED),
    }),
});

export const outputs = command(
  'aisec-redteam-custom-attack-outputs',
  'List the responses of the target to an attack of a custom red-team scan.',
  {
    effect: 'read',
    args: { job_id, attack_id: uuid('Identifier of the attack.', { lookup: CUSTOM_ATTACKS, required: true }) },
    output: { ...many(CustomAttackOutput), priority: isThreat },
    hints,
    call: ({ job_id, attack_id }) =>
      redTeamData.list(path`/v1/custom-attacks/job/${job_id}/attack/${attack_id}/list-outputs`, {
        items: 'items',
        paging: 'whole',
      }),
  },
);

export const propertyStats = command(
  'aisec-redteam-custom-attack-property-stats',
  'Count the attacks of a custom red-team scan by the properties of their prompts.',
  {
    effect: 'read',
    args: { job_id },
    output: many(CustomAttackPropertyStat),
    hints,
    run: async ({ job_id }, { api, note }) => {
      const address = path`/v1/custom-attacks/job/${job_id}/property-stats`;
      const { records } = await api.list(redTeamData.list(address, { items: 'items', paging: 'whole' }));
      if (records.length === 0) note('The scan recorded no values of properties.');
      return records;
    },
  },
);
