/** Laws of lines and context: typed text round-trips, and records written twice are stored once. */
import fc from 'fast-check';
import { parseLine, parseWords } from '../../../lib/client/argv.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import { spellingsOf, toNeutral, toWire } from '../../../lib/core/wire.ts';
import type { Argument } from '../../../lib/runtime/arguments/builders.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import { mergeContext } from '../../../lib/runtime/output/merge.ts';
import type { ContextWrite } from '../../../lib/runtime/output/result.ts';
import { expectNone } from '../../support/expect-none.ts';
import { runs, TEST_MS } from '../../support/runs.ts';
import { scenario } from '../scenarios/claims.ts';
import { inRoom } from './rooms.ts';
import {
  anyText,
  lineOf,
  QUOTINGS,
  type Quoting,
  quoted,
  quotings,
  subjects,
  wholeText,
  withoutReferences,
} from './subjects.ts';

const everyArgument = subjects.flatMap(({ name, command: { args } }) =>
  Object.entries(args).map(([argument, declared]) => ({ name, argument, declared })),
);

/** Accepts any text unchanged: it has no format and no list of words. */
const isFree = ({ kind, schema, choices, tokens }: Argument) =>
  kind === 'text' && choices === undefined && tokens === undefined && Object.keys(schema).join() === 'type';

const quoting = fc.constantFrom(...quotings);

describe('the lexer', () => {
  scenario.each(quotings.map((each) => ({ quoting: each })))(
    'lexer-quotes',
    'round-trips any text in $quoting, as any argument of any command',
    ({ quoting: each }) => {
      for (const [place, { name, argument }] of everyArgument.entries()) {
        const carries = (value: string) => {
          const word = QUOTINGS[each](value);
          fc.pre(word !== undefined);
          const { pairs } = parseLine(`!${name} ${argument}=${word}`);
          expect(pairs).toEqual([{ name: argument, value }]);
        };
        const texts = anyText.filter((text) => !text.includes('${') && QUOTINGS[each](text) !== undefined);
        fc.assert(fc.property(texts, carries), runs(4, place));
      }
    },
    TEST_MS,
  );

  scenario(
    'lexer-quotes',
    'round-trips whole lines of any arguments, in any quoting and as shell words',
    () => {
      const space = fc.constantFrom(' ', '\n', '\t ', '  ');
      const texts = anyText.filter((text) => !text.includes('${'));
      for (const [place, { name, command }] of subjects.entries()) {
        const names = Object.keys(command.args);
        if (names.length === 0) continue;
        const word = fc.record({ argument: fc.constantFrom(...names), value: texts, quoting, space });
        const carries = (words: readonly { argument: string; value: string; quoting: Quoting; space: string }[]) => {
          const line = words.map((each) => `${each.space}${each.argument}=${quoted(each.value, each.quoting)}`);
          // Arguments of one name are grouped, in the order in which they were typed.
          const grouped = [...new Set(words.map(({ argument }) => argument))].flatMap((argument) =>
            words.filter((each) => each.argument === argument).map(({ value }) => ({ name: argument, value })),
          );
          expect(parseLine(`!${name}${line.join('')}`)).toEqual({ name, pairs: grouped, positionals: [] });
          const shell = words.map(({ argument, value }) => `${argument}=${value}`);
          expect(parseWords(name, shell)).toEqual({ name, pairs: grouped, positionals: [] });
        };
        fc.assert(fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), carries), runs(8, place));
      }
    },
    TEST_MS,
  );

  scenario(
    'lexer-quotes',
    'and the argument reader keep any free text as typed',
    () => {
      const free = everyArgument.filter(({ declared }) => isFree(declared));
      const context = { AiSec: { X: 'from the context' } };
      for (const [place, { name, argument, declared }] of free.entries()) {
        const args = { [argument]: declared };
        const holds = (value: string, each: Quoting) => {
          const line = `!${name} ${argument}=${quoted(withoutReferences(value), each)}`;
          const { typed } = readArguments({ name, args }, parseLine(line), { context });
          const cleared = declared.clearable === true && value === 'null';
          expect(typed[argument]).toBe(cleared ? null : value);
        };
        const texts = wholeText.filter((text) => text.trim() !== '' && !/^@(env|file):/.test(text));
        fc.assert(fc.property(texts, quoting, holds), runs(4, place));
      }
      expect(free.length).toBeGreaterThan(100);
    },
    TEST_MS,
  );

  test('reads any characters as a line, or reports the position of the error', () => {
    const line = fc.array(fc.oneof(anyText, fc.constantFrom(...everyArgument.map(({ argument }) => `${argument}=`))));
    fc.assert(
      fc.property(fc.constantFrom(...subjects.map(({ name }) => name)), line, (name, words) => {
        try {
          expect(parseLine(`!${name} ${words.join(' ')}`).name).toBe(name);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ValidationError);
        }
      }),
      runs(400, 1),
    );
  });
});

describe('a bare word', () => {
  const bare = subjects.flatMap(({ name, command, given }) => {
    const argument = Object.keys(command.args).find((key) => command.args[key]?.positional === true);
    const { [argument ?? '']: value, ...others } = given;
    return argument === undefined || value === undefined ? [] : [{ name, command, given, argument, value, others }];
  });

  test('is the default argument of every command that has a default argument', () => {
    const others = bare.filter(({ name, command, given, value, others: rest }) => {
      const line = lineOf(name, rest).replace(`!${name}`, `!${name} ${quoted(value, 'double quotes')}`);
      const [typed, named] = [line, lineOf(name, given)].map(
        (each) => readArguments(command, parseLine(each), {}).typed,
      );
      return JSON.stringify(typed) !== JSON.stringify(named);
    });
    expectNone(
      others.map(({ name, argument }) => `${name}: a bare word is not ${argument}`),
      'commands that read it otherwise',
    );
    expect(bare.length).toBeGreaterThan(100);
  });

  test('together with the named argument is refused, and the hint quotes the value', () => {
    const taken = bare.filter(({ name, command, given }) => {
      try {
        readArguments(command, parseLine(`${lineOf(name, given)} word`), {});
      } catch (thrown) {
        return !(thrown instanceof ValidationError && /quote a value with spaces/.test(thrown.hint ?? ''));
      }
      return true;
    });
    expectNone(
      taken.map(({ name }) => name),
      'commands that take the second word of a value',
    );
  });
});

describe('an open list', () => {
  const open = everyArgument.filter(({ declared }) => declared.hints !== undefined);

  test('accepts its choices, wire tokens and any other word', () => {
    const refused = open.flatMap(({ name, argument, declared }) => {
      const { tokens, hints = [] } = declared;
      const wire = tokens === undefined ? [] : hints.flatMap((hint) => spellingsOf(tokens, hint));
      return [...hints, ...wire, 'A_NEW_ONE'].flatMap((word) => {
        const args = { [argument]: declared };
        const { typed } = readArguments({ name, args }, parseLine(`!${name} ${argument}=${word}`), {});
        const expected = tokens === undefined ? word : toNeutral(tokens, toWire(tokens, word));
        return String(typed[argument]) === expected ? [] : [`${name} ${argument}=${word}: read as ${typed[argument]}`];
      });
    });
    expectNone(refused, 'words of open lists that are not read as they were typed');
    expect(open.length).toBeGreaterThan(20);
  });
});

const clone = <Value>(value: Value): Value => structuredClone(value);

/** Repeating the same writes changes nothing. */
function expectSameTwice(context: Record<string, unknown>, writes: readonly ContextWrite[]): void {
  const before = clone(context);
  const once = mergeContext(context, writes);
  expect(context).toEqual(before);
  const kept = clone(once);
  expect(mergeContext(once, writes)).toEqual(kept);
  expect(mergeContext(once, [...writes, ...writes])).toEqual(kept);
  expect(once).toEqual(kept);
}

describe('a merge into the context', () => {
  const KEYS = {
    'AiSec.Keyed': ['id'],
    'AiSec.Pair': ['id', 'part'],
    'AiSec.Whole': [],
    'AiSec.Paged': ['id'],
  } as const;
  const text = fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', '1'));
  const id = fc.oneof(fc.nat(4), fc.constantFrom('1', 'a', ''), fc.boolean());
  const record = fc.record({ id, part: id, value: fc.jsonValue({ maxDepth: 2 }) }, { requiredKeys: ['id', 'part'] });
  const values: Record<keyof typeof KEYS, fc.Arbitrary<unknown>> = {
    'AiSec.Keyed': fc.oneof(record, fc.array(record, { maxLength: 6 })),
    'AiSec.Pair': fc.oneof(record, fc.array(record, { maxLength: 6 })),
    'AiSec.Whole': fc.oneof(record, fc.array(text), fc.dictionary(text, text), text),
    'AiSec.Paged': fc.record({ id, items: fc.array(record, { maxLength: 4 }), total_items: fc.nat() }),
  };
  const writes = fc.array(
    fc
      .constantFrom(...(Object.keys(KEYS) as (keyof typeof KEYS)[]))
      .chain((path) => values[path].map((value): ContextWrite => ({ path, key: KEYS[path], value }))),
    { minLength: 1, maxLength: 5 },
  );

  test(
    'has no effect the second time: keyed, replacing and paged records, in any order, into any context',
    () => {
      fc.assert(
        fc.property(writes, writes, (earlier, later) => expectSameTwice(mergeContext({}, earlier), later)),
        runs(500, 2),
      );
    },
    TEST_MS,
  );

  test(
    'has no effect the second time for the output of each command, alone or after all other commands',
    async () => {
      const all: ContextWrite[] = [];
      for (const { name, given } of subjects) {
        const { writes: own } = await inRoom((room) => room.run(lineOf(name, given)));
        expectSameTwice({}, own);
        all.push(...own);
      }
      expectNone(
        all.filter(({ key }) => key === undefined).map(({ path }) => path),
        'context paths without a key',
      );
      expectSameTwice({}, all);
      expectSameTwice(mergeContext({}, all), all.toReversed());
    },
    TEST_MS,
  );
});
