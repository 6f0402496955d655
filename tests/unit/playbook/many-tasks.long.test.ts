import { registry } from '../../../commands/index.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { stepLines } from '../../../lib/hosts/terminal/shell/playbook/rehearsal-view.ts';
import { PLAIN } from '../../../lib/hosts/terminal/ui/style.ts';
import { walk } from '../../../lib/playbook/flow.ts';
import type { Playbook, Task } from '../../../lib/playbook/playbook.ts';
import { readPlaybook } from '../../../lib/playbook/read-playbook.ts';
import { expectProportion } from '../../support/growth.ts';
import { compares, decides, rehearse, runs, sample, start, title } from './rehearsal.ts';

describe('a playbook of many tasks', () => {
  const numbered = (count: number, taskAt: (at: number) => JsonObject): JsonObject =>
    sample(Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at), taskAt(at)])));
  const upTo = (count: number, ...ids: readonly number[]) => ids.filter((id) => id < count).map(String);
  const SHAPES: { what: string; document: (count: number) => JsonObject }[] = [
    {
      what: 'one after the other',
      document: (count) =>
        numbered(count, (at) => (at === 0 ? start(...upTo(count, 1)) : title(...upTo(count, at + 1)))),
    },
    {
      what: 'next to each other',
      document: (count) => {
        const all = Array.from({ length: count - 1 }, (_, at) => String(at + 1));
        return numbered(count, (at) => (at === 0 ? start(...all) : title()));
      },
    },
    {
      what: 'that each lead to two other tasks',
      document: (count) =>
        numbered(count, (at) => (at === 0 ? start(...upTo(count, 1, 2)) : title(...upTo(count, at + 1, at + 2)))),
    },
    {
      what: 'that are branches of one condition',
      document: (count) => {
        const labels = Array.from({ length: count - 2 }, (_, at) => String(at + 2));
        const next = Object.fromEntries(labels.map((id) => [`branch ${id}`, [id]]));
        const tests = Object.fromEntries(labels.map((id) => [`branch ${id}`, [[compares('isExists', 'inputs.x')]]]));
        const more = { ...next, '#default#': ['2'] };
        return numbered(count, (at) => (at === 0 ? start('1') : at === 1 ? decides(tests, more) : title()));
      },
    },
  ];

  test.each(SHAPES)('$what is read, checked and walked in linear time', async ({ document }) => {
    await expectProportion((size) => {
      const made = document(size);
      return async () => {
        const playbook = await readPlaybook(made, {});
        await walk(playbook, async (task) => (task.kind === 'condition' ? '#default#' : '#none#'));
      };
    });
  });

  test.each(SHAPES.slice(0, 3))('$what runs to its end', async ({ document }) => {
    const { steps } = await rehearse(document(20_000));
    expect(steps).toHaveLength(20_000);
  });

  test.each<{ what: string; message: RegExp; document: (count: number) => JsonObject }>([
    {
      what: 'lead back to themselves',
      message: /it leads back to itself/,
      document: (count) => numbered(count, (at) => (at === 0 ? start('1') : title(String((at % (count - 1)) + 1)))),
    },
    {
      what: 'run unknown commands',
      message: /there is no command "aisec-nothing-19"/,
      document: (count) =>
        numbered(count, (at) => (at === 0 ? start('1') : runs(`aisec-nothing-${at}`, {}, upTo(count, at + 1)))),
    },
    {
      what: 'are never reached',
      message: /nothing leads to it/,
      document: (count) => numbered(count, (at) => (at === 0 ? start() : title(...upTo(count, at + 1)))),
    },
  ])('that $what are refused in linear time', async ({ document, message }) => {
    const few = Object.fromEntries(Object.entries(registry).slice(0, 3));
    const refused = async (made: JsonObject) => {
      const thrown: unknown = await readPlaybook(made, few).catch((error: unknown) => error);
      if (thrown instanceof ValidationError) return thrown;
      throw new Error('expected the playbook to be refused');
    };
    expect((await refused(document(50))).message).toMatch(message);
    await expectProportion((size) => {
      const made = document(size);
      return () => refused(made);
    });
  });

  test('prints two hundred thousand task lines', () => {
    const tasks = Array.from({ length: 200_000 }, (_, at) => ({
      id: String(at),
      name: 'T',
      line: undefined,
      kind: 'title',
      next: new Map(),
    }));
    const lines = stepLines({ tasks: new Map(tasks.map((task) => [task.id, task])) } as unknown as Playbook, PLAIN);
    expect(lines({ task: tasks[7] as unknown as Task, results: [], inputs: [], compared: [], branch: '#none#' })).toBe(
      '     7  T',
    );
  });
});
