/** The error for a line with unquoted words: it shows the intended line. */
import { parseLine, parseWords } from '../../../lib/client/argv.ts';
import type { ValidationError } from '../../../lib/core/errors.ts';
import { text, uuid } from '../../../lib/runtime/arguments/builders.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';

const scan = {
  profile_name: text('P.', { required: true, unless: 'profile_id' }),
  prompt: text('T.', { required: true, unless: 'response', positional: true }),
  response: text('R.'),
  profile_id: uuid('I.'),
};
const app = { app_id: uuid('I.', { required: true, positional: true }), app_name: text('N.', { required: true }) };
const bulk = {
  profile_name: text('P.', { required: true }),
  prompts_csv: text('T.', { required: true, unless: 'entry_id', positional: true }),
  entry_id: text('F.'),
};
const secret = { key: text('K.', { secret: true }), name: text('N.', { positional: true }) };

function problemsOf(args: Parameters<typeof readArguments>[0]['args'], invocation: ReturnType<typeof parseLine>) {
  try {
    readArguments({ name: 'aisec-x', args }, invocation, {});
  } catch (thrown) {
    return (thrown as ValidationError).problems;
  }
  return [];
}

const HINT = 'Name each value, and quote a value with spaces: !aisec-x';

describe('unquoted words', () => {
  test.each([
    ['prod "two words"', 'profile_name=prod prompt="two words"'],
    ['prod text', 'profile_name=prod prompt=text'],
    ['hello there you', 'profile_name=PROFILE_NAME prompt="hello there you"'],
    ['profile_name=prod prompt=hello there', 'profile_name=prod prompt="hello there"'],
    ['prompt=hello there profile_name=prod', 'prompt="hello there" profile_name=prod'],
    ['prod prompt=hello', 'prompt=hello profile_name=prod'],
    ['prod prompt=hello there', 'prompt="hello there" profile_name=prod'],
    ['prompt=hello there', 'prompt="hello there" profile_name=PROFILE_NAME'],
    ['profile_name=prod hello there', 'profile_name=prod prompt="hello there"'],
    ['profile_name=prod prompt=what is a=b now', 'profile_name=prod prompt="what is a=b now"'],
    ['profile_name=prod prompt=hi response=fine by me', 'profile_name=prod prompt=hi response="fine by me"'],
    ['profile_name=my profile prompt=hi', 'profile_name="my profile" prompt=hi'],
    ['profile_name=prod \'say "hi"\' now', 'profile_name=prod prompt="say \\"hi\\" now"'],
  ])('%s: one error with the corrected line', (line, corrected) => {
    const [problem, ...others] = problemsOf(scan, parseLine(`x ${line}`));
    expect(problem?.hint).toBe(`${HINT} ${corrected}`);
    expect(others).toEqual([]);
  });

  test.each([
    ['prod entry_id=p.csv', 'entry_id="p.csv" profile_name=prod'],
    ['entry_id=p.csv prod', 'entry_id="p.csv" profile_name=prod'],
    ['prod text', 'profile_name=prod prompts_csv=text'],
  ])('%s: is not a text if another argument takes its place', (line, corrected) => {
    expect(problemsOf(bulk, parseLine(`x ${line}`))).toEqual([
      expect.objectContaining({ hint: `${HINT} ${corrected}` }),
    ]);
  });

  test('are not lost if another argument takes the place of the text', () => {
    const problems = problemsOf(bulk, parseLine('x hello profile_name=prod entry_id=p.csv'));
    expect(problems.map(({ message }) => message)).toEqual(['"hello" belongs to no argument of aisec-x.']);
  });

  test('from a shell are corrected too', () => {
    const problems = problemsOf(scan, parseWords('x', ['prod', 'two words']));
    expect(problems.map(({ hint }) => hint)).toEqual([`${HINT} profile_name=prod prompt="two words"`]);
  });

  test('give each missing argument a value', () => {
    const [problem] = problemsOf(app, parseLine('x 1d5e9b37-a8c2-4f60-b3d9-4e07c6f28a51 chat'));
    expect(problem?.hint).toBe(`${HINT} app_id=1d5e9b37-a8c2-4f60-b3d9-4e07c6f28a51 app_name=chat`);
  });

  test.each([
    { what: 'an identifier cannot contain words', args: app, line: 'app_id=a b app_name=chat' },
    { what: 'the words may be part of a secret', args: secret, line: 'key=a b canary' },
    { what: 'a reference would be resolved again', args: scan, line: 'profile_name=p prompt=a \\${X.Y}' },
    { what: 'no argument comes before', args: scan, line: 'a profile_name=p prompt=b' },
    { what: 'there are more words than missing arguments', args: scan, line: 'my profile prompt=b' },
  ])('are not guessed if $what', ({ args, line }) => {
    const [problem] = problemsOf(args, parseLine(`x ${line}`));
    expect(problem?.hint).toContain('Write name=value, and quote a value');
    expect(problem?.message).not.toContain('canary');
  });

  test('a long text is abbreviated, and other mistakes are kept', () => {
    const problems = problemsOf(scan, parseLine(`x profile_name=p prompt=a ${'b'.repeat(5000)} respons=c`));
    expect(problems[0]?.hint?.length).toBeLessThan(400);
    expect(problems[1]?.message).toContain('no argument "respons"');
  });
});
