/** Closed choices of all commands: each ignores case and is sent as declared; any other value is refused. */
import { registry } from '../../../commands/index.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import { toWire } from '../../../lib/core/wire.ts';
import { type Argument, list, text } from '../../../lib/runtime/arguments/builders.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import { expectNone } from '../../support/expect-none.ts';

interface Row {
  readonly command: string;
  readonly name: string;
  readonly argument: Argument;
}

const mixed = (word: string) =>
  Array.from(word, (letter, index) => (index % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())).join('');

/** The same word in the spellings that people may type. */
const casesOf = (word: string) => [...new Set([word, word.toUpperCase(), word.toLowerCase(), mixed(word)])];

/** The value that the handler receives, or the refusal. */
function read({ command, name, argument }: Row, given: string): unknown {
  try {
    const invocation = { name: command, pairs: [{ name, value: given }], positionals: [] };
    return readArguments({ name: command, args: { [name]: argument } }, invocation, {}).values[name];
  } catch (thrown) {
    if (thrown instanceof ValidationError) return thrown;
    throw thrown;
  }
}

const shown = (value: unknown) =>
  value instanceof Error ? `refused: ${value.message}` : `read as ${JSON.stringify(value)}`;
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Returns the wire value of one argument for a declared choice. */
function declaredValue({ argument }: Row, choice: string): unknown {
  if (argument.kind === 'number') return Number(choice);
  if (argument.kind === 'flag') return choice === 'true' || choice === 'yes';
  const wire = argument.tokens === undefined ? choice : toWire(argument.tokens, choice);
  return argument.kind === 'list' ? [wire] : wire;
}

describe('closed choices of all commands', () => {
  const rows: Row[] = [];
  const closed: (Row & { readonly choices: readonly string[] })[] = [];

  beforeAll(async () => {
    for (const [command, load] of Object.entries(registry)) {
      const { args } = await load();
      for (const [name, argument] of Object.entries(args)) {
        const row = { command, name, argument };
        const choices = argument.kind === 'flag' ? ['true', 'false', 'yes', 'no'] : argument.choices;
        rows.push(row);
        if (choices !== undefined) closed.push({ ...row, choices });
      }
    }
  });

  test('are found in more than 35 arguments', () => {
    expect(closed.filter(({ argument }) => argument.choices !== undefined).length).toBeGreaterThan(35);
  });

  test('are accepted in upper, lower and mixed case, and sent as declared', () => {
    const wrong = closed.flatMap((row) =>
      row.choices.flatMap((choice) =>
        casesOf(choice).flatMap((given) => {
          const value = read(row, given);
          const expected = declaredValue(row, choice);
          return same(value, expected)
            ? []
            : [`${row.command} ${row.name}=${given}: ${shown(value)}, expected ${JSON.stringify(expected)}`];
        }),
      ),
    );
    expectNone(wrong, 'choices that are refused or sent otherwise');
  });

  test('refuse an unknown value with the choices', () => {
    const wrong = closed.flatMap((row) => {
      const value = read(row, row.argument.kind === 'number' ? '987654' : 'qqqqqqqqqqqq');
      const hint = row.argument.kind === 'flag' ? 'yes and no' : `Choices: ${row.choices.join(', ')}.`;
      const isRefused = value instanceof ValidationError && value.argument === row.name && value.hint?.includes(hint);
      return isRefused === true ? [] : [`${row.command} ${row.name}: ${shown(value)}, expected a refusal with ${hint}`];
    });
    expectNone(wrong, 'lists that take an unknown value');
  });

  test('suggest the nearest choice, and ignore case', () => {
    const wrong = closed
      .filter(({ argument }) => argument.kind === 'text' || argument.kind === 'list')
      .flatMap((row) =>
        row.choices.flatMap((choice) =>
          [`${choice}q`, `${choice.toUpperCase()}Q`].flatMap((given) => {
            const value = read(row, given);
            const hint = value instanceof ValidationError ? value.hint : undefined;
            return hint?.startsWith(`Did you mean "${choice}"? `) === true
              ? []
              : [`${row.command} ${row.name}=${given}: ${shown(value)}, hint ${hint}, expected "${choice}"`];
          }),
        ),
      );
    expectNone(wrong, 'misspelt choices without a guess');
  });

  test('accept the wire token wherever a neutral token is accepted', () => {
    const translated = rows.filter(({ argument }) => argument.tokens !== undefined);
    expect(translated.length).toBeGreaterThan(7);
    const wrong = translated.flatMap((row) => {
      const { tokens = 'cloud', choices, hints = [] } = row.argument;
      return (choices ?? hints).flatMap((token) => {
        const wire = toWire(tokens, token);
        // An open list sends the typed value.
        const spellings = choices === undefined ? [wire] : casesOf(wire);
        return spellings
          .filter((given) => !same(read(row, given), declaredValue(row, token)))
          .map((given) => `${row.command} ${row.name}=${given}: ${shown(read(row, given))}, expected ${wire}`);
      });
    });
    expectNone(wrong, "of the wire's words that are not taken");
  });
});

describe('a closed list', () => {
  const one = (argument: Argument): Row => ({ command: 'aisec-test', name: 'a', argument });

  test.each([
    { given: 'On', becomes: 'On' },
    { given: 'on', becomes: 'on' },
    { given: 'OFF', becomes: 'off' },
  ])('with choices that differ only by case accepts the exact choice: $given', ({ given, becomes }) => {
    expect(read(one(text('A.', { choices: ['on', 'On', 'off'] })), given)).toBe(becomes);
  });

  test('with choices that differ only by case refuses an ambiguous value', () => {
    const refused = read(one(text('A.', { choices: ['on', 'On', 'off'] })), 'ON');
    expect(refused).toBeInstanceOf(ValidationError);
    expect(refused).toMatchObject({ hint: expect.stringContaining('Choices: on, On, off.') });
  });

  test.each([
    { given: 'ONE, tWo', becomes: ['one', 'Two'] },
    { given: '["One"]', becomes: ['one'] },
  ])('of several choices ignores case: $given', ({ given, becomes }) => {
    expect(read(one(list('A.', { choices: ['one', 'Two'] })), given)).toStrictEqual(becomes);
  });

  test.each(['ONE', 'Two'])('that is open sends %s as typed', (given) => {
    expect(read(one(text('A.', { hints: ['one', 'two'] })), given)).toBe(given);
  });
});
