import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../support/program.ts';

/** Bodies that use a client, with the compiler's error codes (empty if the body compiles). */
const USAGES: readonly (readonly [title: string, body: string, codes: readonly number[]])[] = [
  [
    'typed values and typed outputs',
    "const { outputs } = await aisec.run('aisec-runtime-scan', { profile_name: 'p', prompt: 'x' }); const action: string = outputs['AiSec.RuntimeScan'].action; void action;",
    [],
  ],
  ['text forms', "await aisec.run('aisec-runtime-topics-list', { limit: '2' });", []],
  ['no arguments where none is needed', "await aisec.run('aisec-runtime-topics-list');", []],
  [
    'a list of records',
    "(await aisec.run('aisec-runtime-topics-list')).outputs['AiSec.Topic'][0]?.topic_name?.length;",
    [],
  ],
  [
    'options without arguments',
    "await aisec.run('aisec-runtime-topics-list', {}, { signal: new AbortController().signal, dryRun: true });",
    [],
  ],
  ['an unknown command', "await aisec.run('aisec-runtime-scans', {});", [2345]],
  ['an unknown argument', "await aisec.run('aisec-runtime-topics-list', { limt: 2 });", [2561]],
  ['a wrong type', "await aisec.run('aisec-runtime-topics-list', { limit: 'many' });", [2322]],
  ['a missing argument', "await aisec.run('aisec-runtime-scan', { prompt: 'x' });", [2345]],
  ['missing arguments', "await aisec.run('aisec-runtime-scan');", [2554]],
  ['a wrong output path', "(await aisec.run('aisec-runtime-topics-list')).outputs['AiSec.Topics'];", [2551]],
  [
    'a wrong output field',
    "(await aisec.run('aisec-runtime-scan', { profile_name: 'p', prompt: 'x' })).outputs['AiSec.RuntimeScan'].verdict;",
    [2339],
  ],
  [
    'every decision, and no other',
    "const { outputs } = await aisec.run('aisec-runtime-scan', { profile_name: 'p', prompt: 'x' }); const { decision, decision_cause } = outputs['AiSec.RuntimeScan']; if (decision === 'none' && decision_cause === 'timeout') return; if (decision !== 'allow' && decision !== undefined) decision satisfies 'block' | 'none';",
    [],
  ],
  [
    'a decision that does not exist',
    "if ((await aisec.run('aisec-runtime-scan', { profile_name: 'p', prompt: 'x' })).outputs['AiSec.RuntimeScan'].decision === 'deny') return;",
    [2367],
  ],
  [
    'a state of a row that does not exist',
    "(await aisec.run('aisec-runtime-bulk-scan', { profile_name: 'p', prompts_csv: 'x' })).outputs['AiSec.BulkScan']?.results?.some(({ status }) => status === 'done');",
    [2367],
  ],
  [
    'a choice that does not exist',
    "await aisec.run('aisec-runtime-dlp-profiles-patch', { profile_id: '1', name: 'n', profile_type: 'simple' });",
    [2322],
  ],
];

const file = (at: number) => join(ROOT, 'tests', 'unit', 'client', `usage-${at}.ts`);
const texts = new Map(
  USAGES.map(([, body], at) => [
    file(at),
    `import { createAisec } from '../../../bin/library.ts';\nconst aisec = createAisec();\nexport async function usage() { ${body} }\n`,
  ]),
);

let program: ts.Program;
beforeAll(() => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, target, ...rest) => {
    const text = texts.get(name);
    return text === undefined ? read(name, target, ...rest) : ts.createSourceFile(name, text, target);
  };
  const exists = host.fileExists;
  host.fileExists = (name) => texts.has(name) || exists(name);
  program = ts.createProgram([...texts.keys()], { ...options, types: ['node'] }, host);
});

test.each(USAGES.map(([title, , codes], at) => ({ title, codes, at })))(
  'the compiler on $title: $codes',
  ({ codes, at }) => {
    const source = program.getSourceFile(file(at));
    expect(program.getSemanticDiagnostics(source).map(({ code }) => code)).toEqual(codes);
  },
);
