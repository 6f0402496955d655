/**
 * Checks the answers to every command: an answer of another type is rejected with the field's name, and a delete may be
 * answered in many ways.
 */
import { registry } from '../../commands/index.ts';
import type { ContextType } from '../contract/transcription.ts';
import { memoryFiles } from '../support/files.ts';
import { type Answer, answering, type Exchange, scripted } from '../support/scripted.ts';
import { claimed } from './golden.ts';
import { allGoldens, declared, type Fields, type Golden, isFields } from './goldens.ts';

const goldens = allGoldens();

const firsts = [...new Map(goldens.toReversed().map((golden) => [golden.command, golden])).values()].toReversed();

const lineOf = ({ command, args }: Golden) => `!${command} ${args}`;
const portsOf = ({ files = {} }: Golden) => ({ files: memoryFiles({ ...files }) });

/** The script with a different last answer. */
function ending({ script }: Golden, answer: Answer): Exchange[] {
  return script.map(({ request, body, ...before }, at) =>
    at === script.length - 1 ? { request, body, ...answer } : { request, body, ...before },
  );
}

/** These commands build their record from the request and the failures in the answer, or record the answer unchanged. */
const OUTCOMES = /-devices-|properties-values/;

const ROOTS: readonly Answer[] = [
  { answer: 'all is well' },
  { answer: [{ id: 'x' }] },
  { answer: null },
  { text: '<html>Sign in</html>' },
];

const OTHERS: Readonly<Partial<Record<ContextType, unknown>>> = {
  String: { more: 1 },
  Number: 'many',
  Boolean: 'often',
  Date: { more: 1 },
};

/** Fields that the answer has under the same name; one of each type is tried. */
function changes({ command, script, value }: Golden): { field: string; answer: Fields }[] {
  const { outputs } = declared(command);
  const last = script.at(-1)?.answer;
  if (!isFields(last)) return [];
  const [name, list] = Object.entries(last).find(([, value]) => Array.isArray(value)) ?? [];
  const rows: readonly unknown[] = Array.isArray(list) ? list : [];
  const record = Array.isArray(value) ? rows[0] : last;
  if (!isFields(record)) return [];
  const fields = Object.entries(outputs).filter(([field]) => (record[field] ?? null) !== null);
  const ofEachType = new Map(fields.map(([field, type]) => [type, field]));
  return [...ofEachType].flatMap(([type, field]) => {
    if (!(type in OTHERS)) return [];
    const change = { [field]: OTHERS[type] };
    const rowsChanged = rows.map((row) => (isFields(row) ? { ...row, ...change } : row));
    return [{ field, answer: { ...last, ...(record === last ? change : { [name ?? '']: rowsChanged }) } }];
  });
}

for (const golden of firsts) {
  claimed(
    'unknown-response-field',
    `${golden.command} rejects an answer of another type and names the field`,
    async () => {
      const effect = (await registry[golden.command]?.())?.effect;
      // A list may also come without an object around it.
      const isRoot = ({ answer }: Answer) => !(Array.isArray(golden.value) && Array.isArray(answer));
      const roots = effect === 'read' ? ROOTS.filter(isRoot) : [];
      for (const root of roots) {
        await scripted(ending(golden, root), async (room) => {
          const error = await room.fail(lineOf(golden), portsOf(golden));
          expect({ root, code: error.code, exitCode: error.exitCode }).toEqual({ root, code: 'response', exitCode: 8 });
        });
      }
      for (const { field, answer } of OUTCOMES.test(golden.command) ? [] : changes(golden)) {
        const room = answering((request) => ({
          ...(golden.script.findLast((one) => one.request === `${request.method} ${request.url}`) ?? {}),
          ...(golden.script.at(-1)?.request === `${request.method} ${request.url}` ? { answer } : {}),
        }));
        const error = await room.fail(lineOf(golden), portsOf(golden));
        expect({ field, code: error.code, message: error.message }).toEqual({
          field,
          code: 'response',
          message: expect.stringContaining(field),
        });
      }
    },
  );
}

const DELETES = firsts.filter(({ script, value }) => {
  const { request = '' } = script.length === 1 ? (script[0] ?? {}) : {};
  return request.startsWith('DELETE ') && isFields(value) && ('deleted' in value || 'success' in value);
});

claimed.each(DELETES)(
  'delete-bodies',
  '$command accepts any body as a success, but no page and no denial',
  async (golden) => {
    for (const body of [{ status: 204 }, {}, { text: ' \n' }, { answer: {} }, { answer: { message: null } }]) {
      await scripted(ending(golden, body), async (room) => {
        const { deleted, success, message } = Object(await room.value(lineOf(golden)));
        expect({ body, done: deleted ?? success, message: message ?? null }).toEqual({
          body,
          done: true,
          message: null,
        });
      });
    }
    await scripted(ending(golden, { text: '<html>Sign in</html>' }), async (room) => {
      expect(await room.fail(lineOf(golden))).toMatchObject({ code: 'response' });
    });
  },
);

test.each(DELETES.filter(({ value }) => isFields(value) && 'message' in value))(
  "$command shows the service's message, and records no deletion that the service denies",
  async (golden) => {
    const messages = { 'successfully deleted': true, 'it was not deleted': false };
    for (const [message, deleted] of Object.entries(messages)) {
      await scripted(ending(golden, { answer: message }), async (room) => {
        expect(await room.value(lineOf(golden))).toMatchObject({ message, deleted });
      });
    }
    await scripted(ending(golden, { answer: { message: 'Deleted.' } }), async (room) => {
      expect(await room.value(lineOf(golden))).toMatchObject({ message: 'Deleted.', deleted: true });
    });
  },
);
