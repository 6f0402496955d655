/** Laws of the commands: for any argument and any response, a command ends properly and its output is harmless. */

import fc from 'fast-check';
import type { Argument } from '../../../lib/runtime/arguments/builders.ts';
import { GENERIC_NAMES } from '../../../lib/runtime/arguments/generic.ts';
import { expectNone } from '../../support/expect-none.ts';
import { runs, someOf, TEST_MS } from '../../support/runs.ts';
import { KNOWN, type Spoiling, spoilings, spoilt } from './answers.ts';
import { conclude, markdownComplaints, terminalComplaints } from './conclude.ts';
import { DEEP_JSON, hostileText, hostileValue } from './hostile.ts';
import {
  leavesOf,
  malformed,
  parsed,
  queryNames,
  strays,
  type Template,
  type Traffic,
  templatesOf,
  trafficOf,
} from './paths.ts';
import { inRoom } from './rooms.ts';
import { fitting, type Given, lineOf, type Quoting, quotings, type Subject, subjects } from './subjects.ts';
import { EVIL_FILE, valuesFor, wellFormed } from './values.ts';

interface Known {
  readonly templates: readonly Template[];
  readonly names: ReadonlySet<string>;
}

async function learn(subject: Subject, lines: readonly Given[]): Promise<Known> {
  const templates: Template[] = [];
  const names = new Set(Object.keys(subject.command.args));
  for (const given of lines) {
    const line = lineOf(subject.name, given);
    await inRoom(async (room) => {
      await room.run(line).catch(() => undefined);
      const traffic = trafficOf(subject, line, room, {});
      templates.push(...templatesOf(traffic));
      for (const name of queryNames(traffic)) names.add(name);
    });
  }
  return { templates, names };
}

/** Computed when first needed: few requests need more than the line that every command has. */
function learning(lines: (subject: Subject) => readonly Given[]): (subject: Subject) => Promise<Known> {
  const known = new Map<Subject, Promise<Known>>();
  return (subject) => {
    const learned = known.get(subject) ?? learn(subject, lines(subject));
    known.set(subject, learned);
    return learned;
  };
}

/** The line that succeeds. */
const usual = learning(({ given }) => [given]);

/** Lines that do something else: with an extra argument, or another choice. */
const unusual = learning((subject) => [
  subject.given,
  ...Object.entries(subject.command.args).flatMap(([name, argument]) =>
    samplesOf(argument).map((value) => ({ ...fitting(subject, name), [name]: value })),
  ),
]);

function samplesOf(argument: Argument): string[] {
  const { kind, choices } = argument;
  if (kind === 'flag') return ['true', 'false'];
  if (choices !== undefined) return [...choices];
  return fc.sample(wellFormed(argument), { seed: runs(1, 0).seed, numRuns: 4 });
}

/** Collects the templates of requests that any command may send. */
async function readAnywhere(): Promise<Template[]> {
  const reads: Template[] = [];
  for (const subject of subjects) {
    const { templates } = await usual(subject);
    reads.push(...templates.filter(({ method }) => method === 'GET'));
  }
  return reads;
}

/**
 * Reports requests to addresses of other commands, and parameters that the command does not have.
 *
 * @param strangely whether the responses were invalid: then reads of any command are allowed as well
 */
async function misled(subject: Subject, traffic: Traffic, strangely: boolean): Promise<string[]> {
  if (traffic.requests.length === 0) return [];
  const complaintsBy = ({ templates, names }: Known) => [
    ...strays(traffic, templates).map((request) => `a request to a wrong path: ${request}`),
    ...queryNames(traffic)
      .filter((name) => !names.has(name))
      .map((name) => `an unknown parameter: ${name}`),
  ];
  if (complaintsBy(await usual(subject)).length === 0) return [];
  const { templates, names } = await unusual(subject);
  return complaintsBy({ names, templates: [...templates, ...(strangely ? await readAnywhere() : [])] });
}

/** Conditions of one run of a line. */
interface Surroundings {
  readonly quoting: Quoting;
  /** JSON of a reference's value. */
  readonly evil: string;
  /** The text of a file. */
  readonly file: string;
}

const surroundings: fc.Arbitrary<Surroundings> = fc.record({
  quoting: fc.constantFrom(...quotings),
  evil: fc.oneof(
    { weight: 9, arbitrary: hostileValue.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constant(DEEP_JSON) },
  ),
  file: fc.oneof(
    hostileText,
    fc.array(hostileText, { maxLength: 4 }).map((lines) => ['prompt', ...lines].join('\n')),
  ),
});

/** Part of a secret argument's value. */
const CANARY = 'canary-of-this-line';

function complaintsOf(
  subject: Subject,
  given: Given,
  { quoting, evil, file }: Surroundings,
): Promise<readonly string[]> {
  const line = lineOf(subject.name, given, quoting);
  const use = async (room: Parameters<Parameters<typeof inRoom>[0]>[0]) => {
    const context = { AiSec: { Evil: parsed(evil) } };
    room.context = context;
    const { complaints } = await conclude(subject, line, room, [CANARY]);
    const strayed = await misled(subject, trafficOf(subject, line, room, context), false);
    return [...complaints, ...malformed(room), ...strayed];
  };
  return inRoom(use, { files: { [EVIL_FILE]: file } });
}

const rows = subjects.map((subject, place) => ({ name: subject.name, subject, place }));

/** References and a character that once made some commands fail wherever they appeared. */
const KNOWN_VALUES = [
  { value: '${AiSec.Evil}', evil: '{"toString": 1, "valueOf": 1}' },
  { value: '${AiSec.Evil.x}', evil: DEEP_JSON },
  { value: 'a ${AiSec.Evil} b', evil: DEEP_JSON },
  { value: '\ud800', evil: 'null' },
];

describe('any bytes in any argument', () => {
  test.each(rows)(
    '$name: end in a result or a declared error, and do no harm',
    async ({ subject, place }) => {
      const each = Object.entries(subject.command.args).map(([name, argument], index) => ({ name, argument, index }));
      for (const { name, argument, index } of someOf(each, place)) {
        const others = fitting(subject, name);
        const hidden = argument.secret === true && argument.kind === 'text' ? CANARY : '';
        const holds = async (value: string, around: Surroundings) =>
          expectNone(
            await complaintsOf(subject, { ...others, [name]: value + hidden }, around),
            `complaints about ${subject.name} ${name}`,
          );
        const property = fc.asyncProperty(valuesFor(argument), surroundings, holds);
        await fc.assert(property, runs(3, place * 100 + index));
      }
    },
    TEST_MS,
  );

  test.each(rows)(
    '$name: in several arguments at once, including platform arguments',
    async ({ subject, place }) => {
      const { args } = subject.command;
      const own = Object.entries(args).map(([name, argument]: [string, Argument]) => ({
        name,
        values: valuesFor(argument),
      }));
      const platforms = fc.oneof(hostileText, fc.constantFrom('true', '3', 'A.B=.', 'X=a.b::Y=.', '${AiSec.Evil}'));
      const generic = GENERIC_NAMES.map((name) => ({ name, values: platforms }));
      const pair = fc
        .constantFrom(...own, ...generic)
        .chain(({ name, values }) => values.map((value) => [name, value] as const));
      const pairs = fc.array(pair, { minLength: 2, maxLength: 5 }).map((all): Given => Object.fromEntries(all));
      const holds = async (given: Given, around: Surroundings) =>
        expectNone(
          await complaintsOf(subject, { ...subject.given, ...given }, around),
          `complaints about ${subject.name} with ${Object.keys(given).join(', ')}`,
        );
      const examples = someOf(KNOWN_VALUES, place).map(({ value, evil }): [Given, Surroundings] => [
        Object.fromEntries([...Object.keys(args), ...GENERIC_NAMES].map((name) => [name, value])),
        { quoting: 'double quotes', evil, file: '' },
      ]);
      const { numRuns, seed } = runs(4, place);
      const property = fc.asyncProperty(pairs, surroundings, holds);
      await fc.assert(property, { seed, numRuns: numRuns + examples.length, examples });
    },
    TEST_MS,
  );
});

/** Compares the context with the responses: a text that appears in part must appear as a whole. */
function altered(values: unknown, { text }: Spoiling): string[] {
  if (text === undefined) return [];
  const marks = [text.slice(0, 3), text.slice(-3)];
  const forms = [text, JSON.stringify(text).slice(1, -1)];
  const isAltered = (leaf: string) =>
    marks.some((mark) => leaf.includes(mark)) && !forms.some((form) => leaf.includes(form));
  return [...leavesOf(values)].filter(isAltered).map((leaf) => `a text is not as it was sent: ${leaf.slice(0, 200)}`);
}

describe('any answer', () => {
  const complaintsAfter = (subject: Subject, spoiling: Spoiling, tokens: boolean) => {
    const line = lineOf(subject.name, subject.given);
    const use = async (room: Parameters<Parameters<typeof inRoom>[0]>[0]) => {
      const { complaints, result } = await conclude(subject, line, room);
      const values = result?.writes.map(({ value }) => value);
      const strayed = await misled(subject, trafficOf(subject, line, room, {}), true);
      return [...complaints, ...malformed(room), ...altered(values, spoiling), ...strayed];
    };
    return inRoom(use, { spoil: (service) => spoilt(service, spoiling, tokens) });
  };

  test.each(rows)(
    '$name: ends in a result or a declared error, and does no harm',
    async ({ subject, place }) => {
      const holds = async (spoiling: Spoiling) =>
        expectNone(await complaintsAfter(subject, spoiling, false), `complaints about ${subject.name}`);
      const examples = someOf(KNOWN, place).map((spoiling): [Spoiling] => [spoiling]);
      const { numRuns, seed } = runs(8, place);
      const property = fc.asyncProperty(spoilings, holds);
      await fc.assert(property, { seed, numRuns: numRuns + examples.length, examples });
    },
    TEST_MS,
  );

  test(
    'for a token ends in a result or a declared error',
    async () => {
      const bearers = rows.filter(({ subject }) => !/^aisec-runtime-(bulk-)?scan$/.test(subject.name));
      const names = fc.constantFrom(...bearers.map(({ name }) => name));
      const holds = async (name: string, spoiling: Spoiling) => {
        for (const { subject } of bearers.filter((row) => row.name === name))
          expectNone(await complaintsAfter(subject, spoiling, true), `complaints about ${name}`);
      };
      await fc.assert(fc.asyncProperty(names, spoilings, holds), runs(200, 1));
    },
    TEST_MS,
  );
});

describe('the checks themselves', () => {
  const table = { columns: ['A', 'B'], rows: [['1', '2']] };
  const sound = '### T\n\n| A | B |\n|---|---|\n| 1 | 2 |\n';
  const complaints = (text: string) =>
    markdownComplaints(text, { title: 'T', simulated: false, tables: [table], notes: [] });

  test('report no finding for a valid table', () => {
    expectNone(complaints(sound), 'complaints about a sound table');
    expectNone(terminalComplaints('A  B\n─  ─\n1  2'), 'complaints about a sound table');
  });

  test.each([
    { text: sound.replace('2 |', '2 | 3 |'), what: 'a torn table' },
    { text: sound.replace('1', '1 |\n| 1'), what: 'a torn table' },
    { text: `${sound}\n| x |\n`, what: 'a torn table' },
    { text: sound.replace('2', '![x](y)'), what: 'live markup' },
    { text: sound.replace('2', '<b>'), what: 'live markup' },
    { text: sound.replace('2', '\\\\*x*'), what: 'live markup' },
    { text: sound.replace('2', 'http://x'), what: 'a live address' },
    { text: sound.replace('2', 'www.x'), what: 'a live address' },
    { text: sound.replace('2', '&#60;'), what: 'a live entity' },
    { text: sound.replace('2', 'a\u202eb'), what: 'an unseen character' },
    { text: sound.replace('2', '\u{e0041}'), what: 'an unseen character' },
  ])('report $what in $text', ({ text, what }) => {
    expect(complaints(text).map((complaint) => complaint.split(':')[0])).toEqual([what]);
  });

  test.each(['\u001b[31m', '\u009b31m', '\u0007', '\u202e', 'a\rb', '\u2028'])('report %j on a terminal', (text) => {
    expect(terminalComplaints(`a${text}b`)).toHaveLength(1);
  });
});
