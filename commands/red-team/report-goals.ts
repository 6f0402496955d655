import { Goal, Stream, StreamGet } from '../../context/red-team/report-goals.ts';
import { textFilter } from '../../lib/runtime/api/find.ts';
import {
  command,
  flag,
  type JsonObject,
  limit,
  many,
  one,
  path,
  redTeamData,
  skip,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { GOALS, STREAMS } from '../lookups.ts';
import { FINDINGS, job_id } from './report-family.ts';

const isThreat = ({ threat }: JsonObject) => threat === true;

export const goals = command('aisec-redteam-report-goals-list', 'List the goals of a dynamic red-team scan.', {
  effect: 'read',
  args: {
    job_id,
    goal_type: text('Return only goals of the agents, or only goals of users.', {
      hints: ['AGENT', 'HUMAN_AUGMENTED'],
    }),
    status: text('Return only goals with this outcome.', { hints: ['SUCCESSFUL', 'FAILED', 'ERROR'] }),
    count: flag('Also return the total number of goals.'),
    limit: limit(50),
    skip: skip(),
    search: text('Return only goals that contain this text.'),
  },
  output: { ...many(Goal), priority: isThreat },
  hints: {
    ...FINDINGS,
    422: 'goal_type is AGENT or HUMAN_AUGMENTED here, and status SUCCESSFUL, FAILED or ERROR.',
  },
  call: ({ job_id, limit, skip, ...query }) =>
    redTeamData.list(path`/v1/report/dynamic/${job_id}/list-goals`, { items: 'data', limit, offset: skip, query }),
});

export const streams = command(
  'aisec-redteam-report-goal-streams-list',
  'List the streams that pursued a goal of a dynamic red-team scan.',
  {
    effect: 'read',
    args: {
      job_id,
      goal_id: uuid('Identifier of the goal.', { lookup: GOALS, required: true }),
      limit: limit(50),
      skip: skip(),
      search: text('Return only streams whose goal, type or first threat contains this text.'),
    },
    output: { ...many(Stream), priority: isThreat },
    hints: FINDINGS,
    call: ({ job_id, goal_id, limit, skip, search }) =>
      redTeamData.list(path`/v1/report/dynamic/${job_id}/goal/${goal_id}/list-streams`, {
        items: 'data',
        limit,
        offset: skip,
        query: { search },
        // The service may ignore the position too, so read all streams and filter them here.
        filter: textFilter(search, ['goal', 'stream_type', 'first_threat_iteration']) ?? (() => true),
      }),
  },
);

export const stream = command('aisec-redteam-report-stream-get', 'Get a stream with all its turns.', {
  effect: 'read',
  args: { stream_id: uuid('Identifier of the stream.', { lookup: STREAMS, required: true, positional: true }) },
  output: one(StreamGet),
  hints: FINDINGS,
  call: ({ stream_id }) => redTeamData.get(path`/v1/report/dynamic/stream/${stream_id}`),
});
