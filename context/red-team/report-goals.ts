import { asText, isObject } from '../../lib/core/json.ts';
import { boolean, number, record, string, timestamp, unknown } from '../../lib/runtime/output/record.ts';

const hidden = true;

const job_id = string('Identifier of the scan.');
const tsg_id = string('Tenant services group of the scan.');

export const Goal = record(
  'AiSec.RedTeamGoal',
  'Goals of the Red-Team Scan',
  'uuid',
  {
    uuid: string('Identifier of the goal.'),
    goal: string('Goal of the agents.'),
    goal_type: string('Type of the goal, such as BASE or TOOL_MISUSE.'),
    custom_goal: boolean('Whether a user defined this goal.'),
    threat: boolean('Whether the goal was achieved.'),
    goal_to_show: string('Display text of the goal.', { hidden }),
    safe_response: string('Example of a safe response.', { hidden }),
    jailbroken_response: string('Example of a response that achieves the goal.', { hidden }),
    version: number('Version of the goal.', { hidden }),
    job_id: { ...job_id, hidden },
    tsg_id: { ...tsg_id, hidden },
  },
  { firstColumns: ['uuid', 'threat', 'goal_type', 'goal'] },
);

const stream = {
  uuid: string('Identifier of the stream.'),
  stream_idx: number('Number of the stream.', { heading: 'Stream' }),
  stream_type: string('NORMAL or ADVERSARIAL.'),
  iteration: number('Number of turns.', { heading: 'Turns' }),
  threat: boolean('Whether the stream achieved its goal.'),
  marked_safe: boolean('Whether a user has marked it as safe.'),
  updated_at: timestamp('When the stream was last changed.'),
  created_at: timestamp('When the stream began.'),
  goal_id: string('Identifier of the goal.'),
  job_id,
  target_id: string('Identifier of the target.'),
  tsg_id,
};

export const Stream = record(
  'AiSec.RedTeamStream',
  'Streams of the Goal',
  'uuid',
  {
    ...stream,
    created_at: { ...stream.created_at, hidden },
    goal_id: { ...stream.goal_id, hidden },
    job_id: { ...job_id, hidden },
    target_id: { ...stream.target_id, hidden },
    tsg_id: { ...tsg_id, hidden },
  },
  { firstColumns: ['uuid', 'stream_idx', 'stream_type', 'iteration', 'threat', 'updated_at'] },
);

export const StreamGet = record('AiSec.RedTeamStream', 'Stream of a Goal', 'uuid', {
  ...stream,
  first_threat_iteration: unknown('First turn in which the target gave in.', {
    show: (turn) => (isObject(turn) ? `turn ${asText(turn['iteration'])}` : turn),
  }),
  iterations: unknown('All turns.', {
    heading: 'Turns',
    rows: ['iteration', 'threat', 'score', 'techniques', 'prompt', 'output', 'judge_reasoning'],
  }),
});
