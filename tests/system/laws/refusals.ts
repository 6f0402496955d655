/**
 * Reads hostile values of a megabyte for every argument of every command, with the build's validators, and prints those
 * that take too long. A separate program, because a test's processor time includes the work of jest.
 */
import { registry } from '../../../commands/index.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import { AisecError } from '../../../lib/core/errors.ts';
import { isObject } from '../../../lib/core/json.ts';
import { type Argument, type Schema, text } from '../../../lib/runtime/arguments/builders.ts';
import { GENERIC_NAMES } from '../../../lib/runtime/arguments/generic.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';

const BYTES = 1_000_000;
const MAX_MS = 100;

/** Texts whose part between « and » is repeated. */
const TEXTS = [
  ['«a,»', '«,»', '«a», b', '[«"a",»"a"]', '[«{},»{}]', '[«1,»1]', '[«[],»[]]', '[«"a" »', '{«"a":1,»"b":1}'],
  ['«a»', '«0»', '« »', '«ä»', '«\ud800»', '«\\»', '«"»', '«\n»', '«a-»', '«a@»', '«a.»', '«1 »', '«null,»', '«[»'],
  [
    '«${»',
    '«${a}»',
    '«${A.b}»',
    '«${A}»',
    '«\\${A}»',
    '${«A.»b}',
    '${A«[0]»}',
    '${A(«val.a==a&&»val.a==a)}',
    '«::a»',
    '«a=b::»',
  ],
].flat();

function longText(pattern: string): string {
  const [before = '', part = '', after = ''] = pattern.split(/[«»]/);
  return before + part.repeat(Math.floor(BYTES / new TextEncoder().encode(part).length)) + after;
}

/** The values that a playbook or a request may pass: as many invalid parts as fit. */
function typedValues(schema: Schema): unknown[] {
  const wrong = wrongValue(schema);
  const count = Math.floor(BYTES / (JSON.stringify(wrong).length + 15));
  const many = Array.from({ length: count }, () => wrong);
  return [
    Array.from({ length: BYTES / 20 }, () => 'a'),
    many,
    Object.fromEntries(many.map((each, at) => [`member${at}`, each])),
    wrong,
  ];
}

/** A value that has an invalid value for each known member, and many entries in each list. */
function wrongValue(schema: Schema, levels = 3): unknown {
  const { properties, items, additionalProperties } = schema;
  if (levels > 0 && isObject(items)) return Array.from({ length: 50 }, () => wrongValue(items, levels - 1));
  const members = Object.entries(isObject(properties) ? properties : {});
  if (levels > 0 && isObject(additionalProperties)) members.push(['other', additionalProperties]);
  if (levels === 0 || members.length === 0) return schema['type'] === 'string' ? '?' : 'x';
  return Object.fromEntries(members.map(([name, inner]) => [name, wrongValue(inner as Schema, levels - 1)]));
}

function milliseconds(run: () => unknown): number {
  const start = process.cpuUsage();
  try {
    run();
  } catch (error) {
    if (!(error instanceof AisecError)) throw error;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Only the machine's load makes a fast run slow, and not every time. */
function isSlow(run: () => unknown): boolean {
  return Array.from({ length: 5 }).every(() => milliseconds(run) > MAX_MS);
}

const CONTEXT = { A: 'x' };
const known = new Set<string>();

function check(command: string, name: string, argument: Argument): void {
  const { kind, schema, tokens, clearable, hints } = argument;
  const key = JSON.stringify({ kind, schema, tokens, clearable, hints });
  if (known.has(key)) return;
  known.add(key);
  const declared = { name: command, args: { [name]: argument } };
  const read = (value: unknown) => () =>
    readArguments(declared, { name: command, pairs: [{ name, value }], positionals: [] }, { context: CONTEXT });
  const values = [
    ...TEXTS.map((pattern) => [pattern, longText(pattern)]),
    ...typedValues(argument.schema).map((value, at) => [`typed ${at}`, value]),
  ];
  for (const [title, value] of values) if (isSlow(read(value))) report(`${command} ${name}: ${String(title)}`);
}

let count = 0;
function report(finding: string): void {
  count += 1;
  process.stdout.write(`${finding}\n`);
}

async function checkAll(): Promise<void> {
  for (const load of Object.values(registry)) {
    const { name, args } = await load();
    for (const [argument, declaration] of Object.entries(args)) check(name, argument, declaration);
  }
  for (const name of GENERIC_NAMES) check('aisec-generic', name, { ...text('T.'), hints: [name] });
  for (const pattern of TEXTS) {
    const line = `!x ${longText(pattern)}`;
    if (isSlow(() => parseLine(line))) report(`the line ${pattern}`);
  }
  process.stderr.write(`${known.size} declarations, ${count} findings\n`);
}

void checkAll();
