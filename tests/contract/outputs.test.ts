/** Compares the context after each command with the outputs that the manifest declares. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { registry } from '../../commands/index.ts';
import { DLP_IDS } from '../../fixtures/service/dlp/seed-profiles.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { expectNone } from '../support/expect-none.ts';
import { LINES, lineRoom } from '../support/lines.ts';
import { membersOf } from '../support/members.ts';
import { isIntegration } from './integration-schema.ts';

const { creditCard, confidentialProperty, customerNumber } = DLP_IDS.patterns;

const POLICY = {
  'model-protection': [{ name: 'contextual-grounding', action: 'block' }],
  'agent-protection': [{ name: 'agent-security', action: 'block' }],
  'app-protection': { 'malicious-code-protection': { name: 'malicious-code-protection', action: 'block' } },
  'data-protection': { 'database-security': [{ name: 'database-security-read', action: 'block' }] },
};
const ALL_DETECTORS = JSON.stringify({
  'ai-security-profiles': [{ 'model-type': 'default', 'model-configuration': POLICY }],
  'dlp-data-profiles': [],
});
const RULES = JSON.stringify({
  proximity_distance: 100,
  proximity_keywords: ['customer'],
  delimiter: ',',
  regexes: [{ regex: 'C-[0-9]+', weight: 1 }],
  metadata_criteria: [{ type: 'text', name: 'Classification', value: 'secret', comparisonOperatorType: 'equal_to' }],
});
const TAGS = JSON.stringify({ classification: ['pab'], compliance: ['PCI-DSS'], geography: ['Global'] });
const PATTERN = `type=custom detection_technique=weighted_regex matching_rules=\`${RULES}\` tags=\`${TAGS}\``;

const FOUND = 'Should I buy shares of this company now, you idiot, with 4111 1111 1111 1111?';
const TOOL_EVENT = JSON.stringify({
  metadata: { ecosystem: 'mcp', method: 'tools/call', server_name: 'files', tool_invoked: 'run_shell' },
  input: '{}',
  output: '{}',
});

/**
 * Lines beyond the usual one per command, run in one war room in this order: they leave fields that the usual line does not.
 */
const FURTHER: readonly string[] = [
  `!aisec-runtime-profiles-create profile_name=all policy=\`${ALL_DETECTORS}\``,
  '!aisec-runtime-scan profile_name=all prompt=hello response=hello context=hello transaction_id=t',
  `!aisec-runtime-scan profile_name=prod prompt="${FOUND}" response="${FOUND}" tool_event=\`${TOOL_EVENT}\``,
  '!aisec-runtime-bulk-scan profile_name=monitor-only prompts_csv=SIMULATED-TIMEOUT',
  '!aisec-runtime-bulk-scan profile_name=all prompts_csv=hello',
  `!aisec-runtime-dlp-patterns-create name=created ${PATTERN}`,
  `!aisec-runtime-dlp-patterns-replace pattern_id=${customerNumber} name=replaced ${PATTERN}`,
  `!aisec-runtime-dlp-patterns-patch pattern_id=${customerNumber} name=patched ${PATTERN}`,
  `!aisec-runtime-dlp-patterns-get pattern_id=${customerNumber}`,
  `!aisec-runtime-dlp-patterns-get pattern_id=${confidentialProperty}`,
  `!aisec-runtime-dlp-patterns-get pattern_id=${creditCard}`,
  // Records of a finished job.
  ...['aisec-redteam-scan-create', 'aisec-model-security-scans-create'].map(
    (name) => `!${name} ${LINES[name]} wait=true`,
  ),
];

/** Members that are declared but that no result of the simulated tenant has, with the reason. */
const NOT_SEEN: Readonly<Record<string, string>> = {};

const RULE_STRUCTURE = 'the specification does not show the structure of a rule';

/** Members that results have but that are not declared, with the reason. */
const NOT_DECLARED: Readonly<Record<string, string>> = {
  'AiSec.DlpProfileGet.detection_rules.expression_tree': RULE_STRUCTURE,
  'AiSec.DlpProfileCreate.detection_rules.multi_profile': RULE_STRUCTURE,
  'AiSec.DlpProfilePatch.detection_rules.expression_tree': RULE_STRUCTURE,
  'AiSec.DlpProfileReplace.detection_rules.multi_profile': RULE_STRUCTURE,
  'AiSec.RedTeamAdapter.variables.is_redacted': 'the specification gives a variable a key, a value and a type',
};

/** Values that are not of their declared type, with the reason. */
const NOT_OF_TYPE: Readonly<Record<string, string>> = {
  'AiSec.DeploymentProfile.expiration_date': 'the specification: a text of another shape, although typed Date',
};

type Types = ReadonlyMap<string, string>;

function declaredOutputs(): ReadonlyMap<string, Types> {
  const manifest: unknown = parse(readFileSync(new URL('../../integration.yml', import.meta.url), 'utf8'));
  if (!isIntegration(manifest)) throw new Error('integration.yml is not valid');
  return new Map(
    manifest.script.commands.map(({ name, outputs }) => [
      name,
      new Map((outputs ?? []).map(({ contextPath, type = '' }) => [contextPath, type])),
    ]),
  );
}

const declared = declaredOutputs();
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('.'));
const commandOf = (line: string): string => line.slice(1).split(' ', 1)[0] ?? '';

interface Left {
  /** Maps each path to its values in the results. */
  readonly members: Map<string, unknown[]>;
  readonly paths: Set<string>;
  hasFiles: boolean;
}

/** Runs all lines. @returns the context values of each command */
async function runAll(): Promise<Map<string, Left>> {
  const all = new Map<string, Left>();
  const together = lineRoom();
  const runs = [
    ...Object.entries(LINES).map(([name, rest]) => ({ line: `!${name} ${rest}`.trim(), room: lineRoom() })),
    ...FURTHER.map((line) => ({ line, room: together })),
  ];
  for (const { line, room } of runs) {
    const left = all.get(commandOf(line)) ?? {
      members: new Map<string, unknown[]>(),
      paths: new Set(),
      hasFiles: false,
    };
    all.set(commandOf(line), left);
    const { writes, files } = await room.run(line);
    left.hasFiles ||= files.length > 0;
    for (const { path, value } of writes) {
      left.paths.add(path);
      for (const [at, member] of membersOf(value, path))
        left.members.set(at, [...(left.members.get(at) ?? []), member]);
    }
  }
  return all;
}

let left: ReadonlyMap<string, Left>;
/** Paths of dates that keep the service's format. */
let asWritten: ReadonlySet<string>;

beforeAll(async () => {
  left = await runAll();
  const outputs = (await catalogueOf(registry)).flatMap((command) => command.outputs);
  asWritten = new Set(outputs.filter(({ isDate }) => isDate === true).map(({ path }) => path));
});

const each = <Item>(map: ReadonlyMap<string, Item>, lines: (command: string, item: Item) => readonly string[]) =>
  [...map].flatMap(([command, item]) => lines(command, item));

const unlisted = (lines: readonly string[], reasons: Readonly<Record<string, string>>): string[] =>
  lines.filter((line) => reasons[line.split(' ', 2)[1] ?? ''] === undefined);

const stale = (lines: readonly string[], reasons: Readonly<Record<string, string>>): string[] =>
  Object.keys(reasons).filter((path) => !lines.some((line) => line.split(' ', 2)[1] === path));

/** Reports whether a path is a member of a declared value, not a field of the record. */
const isMember = (types: Types, path: string): boolean => types.has(parentOf(path));

/** A value with declared members: the record itself, or a declared container. */
const isDescribed = (types: Types, path: string): boolean =>
  [...types.keys()].some((other) => other.startsWith(`${path}.`));

/** The format of dates that the specification types. */
const NORMALIZED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** The formats of dates that the specification leaves untyped, as the service writes them. */
const AS_WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?$/;

function mistyped(type: string, value: unknown, asWritten: boolean): boolean {
  if (value === null || type === 'Unknown') return false;
  if (type === 'Date') return typeof value !== 'string' || !(asWritten ? AS_WRITTEN : NORMALIZED).test(value);
  return typeof value !== type.toLowerCase();
}

describe('the outputs of the manifest', () => {
  test('name only members that results have', () => {
    const missing = each(declared, (command, types) =>
      [...types.keys()]
        .filter((path) => isMember(types, path) && left.get(command)?.members.has(path) !== true)
        .map((path) => `${command} ${path}`),
    );
    expectNone(unlisted(missing, NOT_SEEN), 'declared members that no result has');
    expectNone(stale(missing, NOT_SEEN), 'reasons that are no longer needed');
  });

  test('name every member of a value whose members are declared', () => {
    const further = each(left, (command, { members }) => {
      const types: Types = declared.get(command) ?? new Map();
      const isKnown = (path: string) => types.has(path) || isDescribed(types, path);
      return [...members.keys()]
        .filter((path) => isDescribed(types, parentOf(path)) && !isKnown(path))
        .map((path) => `${command} ${path}`);
    });
    expectNone(unlisted(further, NOT_DECLARED), 'members that are not declared beside others that are');
    expectNone(stale(further, NOT_DECLARED), 'reasons that are no longer needed');
  });

  test('have the types of the values in the results', () => {
    const wrong = each(left, (command, { members }) =>
      [...members].flatMap(([path, values]) => {
        const type = declared.get(command)?.get(path) ?? 'Unknown';
        const value = values.find((one) => mistyped(type, one, asWritten.has(path)));
        return value === undefined ? [] : [`${command} ${path} is ${JSON.stringify(value)}, expected ${type}`];
      }),
    );
    expectNone(unlisted(wrong, NOT_OF_TYPE), 'values of another type than declared');
    expectNone(stale(wrong, NOT_OF_TYPE), 'reasons that are no longer needed');
  });

  test('have the fields of a file for exactly the command that writes them', () => {
    const rootsOf = (paths: Iterable<string>) => [...new Set([...paths].map((path) => path.split('.', 1)[0] ?? ''))];
    const saving = [...left]
      .filter(([, { hasFiles }]) => hasFiles)
      .map(([command, { paths }]) => ({
        command,
        declares: rootsOf(declared.get(command)?.keys() ?? []),
        leaves: rootsOf(paths),
      }));
    expect(saving).toEqual([
      { command: 'aisec-redteam-report-download', declares: ['InfoFile'], leaves: ['InfoFile'] },
      { command: 'aisec-redteam-prompt-sets-download', declares: [], leaves: [] },
    ]);
  });
});
