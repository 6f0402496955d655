import { membersLines } from '../../../lib/cli/plan/members.ts';
import { plainMeasure } from '../../../lib/hosts/terminal/render/measure.ts';
import { PLAIN } from '../../../lib/hosts/terminal/render/style.ts';

const topic = (model: string, action: string, name: string, before?: number, after?: number) => {
  const value = (revision?: number) =>
    revision === undefined ? undefined : { topic_name: name, topic_id: 'id', revision };
  return { path: ['policy', model, 'topic-list', action, 'topic', name], before: value(before), after: value(after) };
};

describe('topics that a list gains and loses', () => {
  test.each([
    {
      what: 'stand on one line',
      members: [topic('default', 'block', 'old', 2), topic('default', 'block', 'new', undefined, 1)],
      lines: ['topics to block: - old  + new'],
    },
    {
      what: 'have a line for each action',
      members: [topic('default', 'block', 'old', 2), topic('default', 'allow', 'old', undefined, 2)],
      lines: ['topics to block: - old', 'topics to allow: + old'],
    },
    {
      what: 'keep their path where two models have such a list',
      members: [topic('default', 'block', 'old', 2), topic('vision', 'block', 'new', undefined, 1)],
      lines: ['policy.default.topic-list.block.topic: - old', 'policy.vision.topic-list.block.topic: + new'],
    },
    {
      what: 'show a revision that changes',
      members: [
        { path: ['policy', 'default', 'topic-list', 'block', 'topic', 'old', 'revision'], before: 1, after: 2 },
      ],
      lines: ['policy.default.topic-list.block.topic.old.revision: 1 -> 2'],
    },
  ])('$what', ({ members, lines }) => {
    const page = { width: 80, measure: plainMeasure, style: PLAIN };
    expect(membersLines(members, page).map((line) => line.trim())).toEqual(lines);
  });
});
