import { asText, objectOf, objectsOf } from '../../lib/core/json.ts';
import { boolean, number, record, string, unknown } from '../../lib/runtime/output/record.ts';

const hidden = true;

const attack = {
  uuid: string('Identifier of the attack.'),
  severity: string('LOW, MEDIUM, HIGH or CRITICAL.'),
  category_display_name: string('Name of the category.', { heading: 'Category' }),
  sub_category_display_name: string('Name of the sub-category.', { heading: 'Sub-Category' }),
  threat: boolean('Whether the attack succeeded.'),
  asr: number('Attack success rate, in percent.'),
  multi_turn: boolean('Whether the attack is a conversation of several turns.'),
  prompt: string('Prompt of the attack.'),
  status: string('Processing state of the attack, such as COMPLETED or FAILED.'),
  category: string('Identifier of the category: SECURITY, SAFETY, COMPLIANCE or BRAND.', { heading: 'Category ID' }),
  sub_category: string('Identifier of the sub-category, such as JAILBREAK.', { heading: 'Sub-Category ID' }),
  attack_type: string('NORMAL or CUSTOM.'),
  marked_safe: boolean('Whether a user has marked it as safe.'),
  job_id: string('Identifier of the scan.'),
  target_id: string('Identifier of the target.'),
};

export const Attack = record(
  'AiSec.RedTeamAttack',
  'Attacks of the Red-Team Scan',
  'uuid',
  {
    ...attack,
    category: { ...attack.category, hidden },
    sub_category: { ...attack.sub_category, hidden },
    attack_type: { ...attack.attack_type, hidden },
    marked_safe: { ...attack.marked_safe, hidden },
    job_id: { ...attack.job_id, hidden },
    target_id: { ...attack.target_id, hidden },
  },
  { firstColumns: ['uuid', 'severity', 'threat', 'sub_category_display_name', 'asr', 'prompt'] },
);

const detail = {
  ...attack,
  goal: string('Goal of the attack.'),
  compliance_frameworks: unknown('Compliance frameworks that it covers, with their techniques.', {
    show: frameworkLines,
  }),
};

export const AttackGet = record('AiSec.RedTeamAttack', 'Red-Team Attack', 'uuid', {
  ...detail,
  outputs: unknown('Responses of the target, one for each attempt.', { rows: ['threat', 'output', 'error_message'] }),
});

export const AttackMultiTurn = record('AiSec.RedTeamAttackMultiTurn', 'Red-Team Attack of Several Turns', 'uuid', {
  ...detail,
  outputs: unknown('Responses of the target in each turn of each conversation.', {
    show: turns,
    rows: ['generation', 'turn', 'threat', 'prompt', 'output'],
  }),
});

/** Formats one line per framework, with its techniques. */
function frameworkLines(frameworks: unknown): unknown {
  return objectsOf(frameworks).map(({ display_name, id, techniques }) => {
    const names = objectsOf(techniques).map((technique) => asText(technique['display_name'] ?? technique['id']));
    return `${asText(display_name ?? id)}: ${names.join(', ')}`;
  });
}

/** Reads turns; conversations are nested lists or a flat list. */
function turns(outputs: unknown): unknown {
  if (!Array.isArray(outputs)) return outputs;
  return outputs.flatMap((output: unknown, at) =>
    Array.isArray(output) ? output.map((turn) => ({ generation: at + 1, ...objectOf(turn) })) : [output],
  );
}
