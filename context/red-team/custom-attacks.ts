import { asText, isObject, objectsOf } from '../../lib/core/json.ts';
import { boolean, number, record, string, unknown } from '../../lib/runtime/output/record.ts';

const hidden = true;

const job_id = string('Identifier of the scan.', { argument: 'job_id' });
const asr = number('Attack success rate, in percent.');

const counts = {
  total_prompts: number('Number of prompts.'),
  total_attacks: number('Number of attacks.'),
  total_threats: number('Number of successful attacks.'),
  failed_attacks: number('Number of failed attacks.'),
};

const property_statistics = unknown('Results by property and value.', {
  heading: 'By Property',
  show: (statistics) =>
    objectsOf(statistics).flatMap(({ property_name, values }) =>
      objectsOf(values).map((value) => ({ property_name, ...value })),
    ),
  rows: ['property_name', 'value', 'successful_attack_count', 'total_attack_count', 'success_rate'],
});

/** Formats one line per value of a property. */
function valueLines(values: unknown): unknown {
  return objectsOf(values).map(
    ({ value, successful_attack_count, total_attack_count, success_rate }) =>
      `${asText(value)}: ${asText(successful_attack_count)} of ${asText(total_attack_count)} (${asText(success_rate)} %)`,
  );
}

/** Formats one line per property of a prompt. */
function propertyLines(properties: unknown): unknown {
  if (!Array.isArray(properties)) return properties;
  return objectsOf(properties).map(({ name, value }) => `${asText(name)}: ${asText(value)}`);
}

export const CustomAttackReport = record('AiSec.RedTeamCustomAttackReport', 'Report of Custom Attacks', 'job_id', {
  job_id,
  score: number('Risk score, from 0 to 100.'),
  asr,
  ...counts,
  custom_attack_reports: unknown('Results by prompt set.', {
    heading: 'By Prompt Set',
    rows: [
      'prompt_set_name',
      'total_prompts',
      'total_attacks',
      'total_threats',
      'failed_attacks',
      'threat_rate',
      'prompt_set_id',
    ],
  }),
  property_statistics,
});

export const CustomAttackReportPromptSet = record(
  'AiSec.RedTeamCustomAttackReportPromptSet',
  'Custom Attacks by Prompt Set',
  'prompt_set_id',
  {
    prompt_set_id: string('Identifier of the prompt set.'),
    prompt_set_name: string('Name of the prompt set.'),
    ...counts,
    threat_rate: number('Share of successful attacks, in percent.'),
    property_names: unknown('Names of the properties of its prompts.'),
    property_statistics: { ...property_statistics, hidden },
  },
  { firstColumns: ['prompt_set_id', 'prompt_set_name', 'total_threats', 'total_attacks', 'threat_rate'] },
);

const prompt = {
  prompt_id: string('Identifier of the prompt.'),
  threat: boolean('Whether the attack succeeded.'),
  asr,
  prompt_text: string('The prompt.', { heading: 'Prompt' }),
  goal: string('Goal of the prompt.'),
  properties: unknown('Properties of the prompt, each a name and a value.', { show: propertyLines }),
  attack_id: string('Identifier of the attack.'),
  user_defined_goal: boolean('Whether a user wrote the goal.'),
  prompt_set_name: string('Name of the prompt set.'),
  prompt_set_id: string('Identifier of the prompt set.'),
};

const PROMPT = 'AiSec.RedTeamCustomAttackPrompt';
/** A prompt may be in many scans, each time in a different attack. */
const PROMPT_KEY = ['prompt_id', 'attack_id'] as const;

export const CustomAttackPrompt = record(
  PROMPT,
  'Prompts of Custom Attacks',
  PROMPT_KEY,
  {
    ...prompt,
    user_defined_goal: { ...prompt.user_defined_goal, hidden },
    prompt_set_name: { ...prompt.prompt_set_name, hidden },
    prompt_set_id: { ...prompt.prompt_set_id, hidden },
  },
  { firstColumns: ['prompt_id', 'threat', 'asr', 'prompt_text', 'goal'] },
);

export const CustomAttackPromptGet = record(PROMPT, 'Prompt of a Custom Attack', PROMPT_KEY, {
  ...prompt,
  attack_outputs: unknown('Responses of the target, one for each attempt.', { show: outputTexts }),
});

/** Reads the outputs: the service sends strings, or objects with strings. */
function outputTexts(outputs: unknown): unknown {
  if (!Array.isArray(outputs)) return outputs;
  return outputs.map((output: unknown) => (isObject(output) ? (output['output'] ?? output) : output));
}

export const CustomAttacks = record('AiSec.RedTeamCustomAttack', 'Custom Attacks', 'job_id', {
  job_id,
  attacks: unknown('The attacks.', {
    rows: ['threat', 'asr', 'prompt_text', 'goal', 'prompt_set_name', 'attack_id', 'prompt_id'],
  }),
  'summary.total_attacks': number('Number of attacks.', { from: 'total_attacks', heading: 'Total Attacks' }),
  'summary.total_threats': number('Number of successful attacks.', {
    from: 'total_threats',
    heading: 'Total Threats',
  }),
  'summary.total_items': number('Number of attacks that match the filters.', {
    from: 'total_items',
    heading: 'Total Items',
  }),
});

export const CustomAttackOutput = record(
  'AiSec.RedTeamCustomAttackOutput',
  'Outputs of the Custom Attack',
  'uuid',
  {
    uuid: string('Identifier of the output.'),
    threat: boolean('Whether the attack succeeded.'),
    marked_safe: boolean('Whether a user has marked it as safe.'),
    output: string('Response of the target.'),
    custom_attack_id: string('Identifier of the attack.', { hidden }),
    job_id: string('Identifier of the scan.', { hidden }),
    target_id: string('Identifier of the target.', { hidden }),
    tsg_id: string('Tenant services group of the scan.', { hidden }),
  },
  { firstColumns: ['uuid', 'threat', 'marked_safe', 'output'] },
);

export const CustomAttackPropertyStat = record(
  'AiSec.RedTeamCustomAttackPropertyStat',
  'Custom Attacks by Property',
  'property_name',
  {
    property_name: string('Name of the property.'),
    values: unknown('Values of the property, each with its successful attacks, total attacks and success rate.', {
      show: valueLines,
      isList: true,
      members: {
        value: string('Value of the property.'),
        successful_attack_count: number('Number of successful attacks.'),
        total_attack_count: number('Number of attacks.'),
        success_rate: number('Share of successful attacks, in percent.'),
      },
    }),
  },
);
