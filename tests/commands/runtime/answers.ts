/** Unexpected responses: another type, or the various bodies of a delete. */
import { AisecError } from '../../../lib/core/errors.ts';
import { type Answer, type Exchange, scripted } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';

export interface Mistyped {
  line: string;
  /** The exchanges, of which the last one has the mistyped answer. */
  script: readonly Exchange[];
  /** The path that the error names. */
  path: string;
}

/** Registers one test for each answer that has changed its type. */
export function describeTypeChanges(rows: readonly Mistyped[]): void {
  const sent = rows.map((row) => ({ ...row, sent: JSON.stringify(row.script.at(-1)?.answer) }));
  scenario.each(sent)(
    'unknown-response-field',
    '$line rejects the response $sent and names $path',
    async ({ line, script, path }) => {
      await scripted(script, async (room) => {
        const error = await room.fail(line);
        expect({ code: error.code, exitCode: error.exitCode }).toEqual({ code: 'response', exitCode: 8 });
        expect(error.message).toContain(path);
      });
    },
  );
}

/** Registers the tests of answers that are a text or a list where the command needs an object. */
export function describeWrongRoots(rows: readonly { line: string; script: readonly Exchange[] }[]): void {
  const roots: { root: string; answer: Answer }[] = [
    { root: 'a text', answer: { answer: 'all is well' } },
    { root: 'a list', answer: { answer: [{ id: 'x' }] } },
    { root: 'null', answer: { answer: null } },
    { root: 'a page', answer: { text: '<html>Sign in</html>' } },
  ];
  scenario.each(rows.flatMap((row) => roots.map((root) => ({ ...row, ...root }))))(
    'unknown-response-field',
    '$line does not accept $root as a result',
    async ({ line, script, answer }) => {
      const last = script.length - 1;
      const changed = script.map((exchange, at) =>
        at === last ? { ...withoutAnswer(exchange), ...answer } : exchange,
      );
      await scripted(changed, async (room) => {
        await expect(room.run(line)).rejects.toMatchObject({ code: 'response', exitCode: 8 });
      });
    },
  );
}

const withoutAnswer = ({ request, body }: Exchange): Exchange => ({ request, body });

export interface Deletion {
  line: string;
  /** Method and address. */
  request: string;
  /** Fields of the context besides `message` and `deleted`. */
  echo: Readonly<Record<string, unknown>>;
}

const BODIES: readonly { body: string; answer: Answer; message: string | null }[] = [
  { body: '204 without a body', answer: { status: 204 }, message: null },
  { body: '200 without a body', answer: {}, message: null },
  { body: '200 with white space', answer: { text: ' \n' }, message: null },
  { body: '200 with {}', answer: { answer: {} }, message: null },
  { body: 'a JSON text', answer: { answer: 'successfully deleted' }, message: 'successfully deleted' },
  { body: 'a plain text', answer: { text: 'successfully deleted it' }, message: 'successfully deleted it' },
  { body: 'a message', answer: { answer: { message: 'Deleted.' } }, message: 'Deleted.' },
  { body: 'a message that is null', answer: { answer: { message: null } }, message: null },
];

/** Registers the tests of the bodies that a delete may be answered with. */
export function describeDeleteBodies(deletions: readonly Deletion[]): void {
  scenario.each(deletions.flatMap((deletion) => BODIES.map((body) => ({ ...deletion, ...body }))))(
    'delete-bodies',
    '$line accepts $body as a success',
    async ({ line, request, echo, answer, message }) => {
      await scripted([{ request, ...answer }], async (room) => {
        expect(await room.value(line)).toStrictEqual({ ...echo, message, deleted: true });
      });
    },
  );

  scenario.each(deletions)(
    'delete-bodies',
    '$line does not accept an HTML page as a success',
    async ({ line, request }) => {
      await scripted([{ request, text: '<html>Sign in</html>' }], async (room) => {
        const error = await room.fail(line);
        expect(error).toBeInstanceOf(AisecError);
        expect(error.code).toBe('response');
      });
    },
  );

  test.each(deletions)('$line does not report a deletion that the message of a 200 denies', async (deletion) => {
    await scripted([{ request: deletion.request, answer: 'it was not deleted' }], async (room) => {
      expect(await room.value(deletion.line)).toMatchObject({ message: 'it was not deleted', deleted: false });
    });
  });
}
