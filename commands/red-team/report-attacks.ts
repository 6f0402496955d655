import { Attack, AttackGet, AttackMultiTurn } from '../../context/red-team/report-attacks.ts';
import { textFilter } from '../../lib/runtime/api/find.ts';
import {
  command,
  flag,
  limit,
  many,
  one,
  path,
  redTeamData,
  skip,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { ATTACKS } from '../lookups.ts';
import { FINDINGS, job_id } from './report-family.ts';

const attack_id = uuid('Identifier of the attack.', { lookup: ATTACKS, required: true });

export const list = command('aisec-redteam-report-attacks-list', 'List the attacks of a static red-team scan.', {
  effect: 'read',
  args: {
    job_id,
    status: text('Return only attacks with this result: SUCCESSFUL, FAILED or ERROR.', {
      hints: ['SUCCESSFUL', 'FAILED', 'ERROR'],
    }),
    severity: text('Return only attacks of this severity.', { hints: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] }),
    category: text('Return only attacks of this category.', { hints: ['SECURITY', 'SAFETY', 'COMPLIANCE', 'BRAND'] }),
    sub_category: text('Return only attacks of this sub-category, such as JAILBREAK.'),
    attack_type: text('Return only attacks of this type.', { hints: ['NORMAL', 'CUSTOM'] }),
    threat: flag('Return only attacks that succeeded (true), or only other attacks (false).'),
    limit: limit(50),
    skip: skip(),
    search: text('Return only attacks whose prompt or category contains this text.'),
  },
  output: { ...many(Attack), priority: ({ threat }) => threat === true },
  hints: {
    ...FINDINGS,
    422: 'The service expects filter values in upper case: status SUCCESSFUL, FAILED or ERROR; severity LOW, MEDIUM, HIGH or CRITICAL.',
  },
  example: 'job_id=<job_id> status=SUCCESSFUL severity=CRITICAL',
  call: ({ job_id, limit, skip, ...query }) =>
    redTeamData.list(path`/v1/report/static/${job_id}/list-attacks`, {
      items: 'data',
      limit,
      offset: skip,
      query,
      filter: textFilter(query.search, [
        'prompt',
        'category_display_name',
        'sub_category_display_name',
        'sub_category',
      ]),
    }),
});

export const get = command('aisec-redteam-report-attack-get', 'Get an attack with the responses of the target.', {
  effect: 'read',
  args: { job_id, attack_id },
  output: one(AttackGet),
  hints: {
    ...FINDINGS,
    404: 'Read a multi-turn attack with !aisec-redteam-report-attack-multi-turn-get; the list of attacks marks it with multi_turn.',
  },
  call: ({ job_id, attack_id }) => redTeamData.get(path`/v1/report/static/${job_id}/attack/${attack_id}`),
});

export const getMultiTurn = command(
  'aisec-redteam-report-attack-multi-turn-get',
  'Get a multi-turn attack with the responses of the target.',
  {
    effect: 'read',
    args: { job_id, attack_id },
    output: one(AttackMultiTurn),
    hints: {
      ...FINDINGS,
      404: 'Read a single-turn attack with !aisec-redteam-report-attack-get; see multi_turn in the list of attacks.',
    },
    call: ({ job_id, attack_id }) => redTeamData.get(path`/v1/report/static/${job_id}/attack-multi-turn/${attack_id}`),
  },
);
