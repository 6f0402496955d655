/** The command lines in the documents: each runs as printed, or names a test that runs it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SUBCOMMANDS } from '../../../bin/subcommands.ts';
import { registry } from '../../../commands/index.ts';
import { createService } from '../../../fixtures/service/index.ts';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { startServer } from '../../../fixtures/service/server.ts';
import { fullName } from '../../../lib/client/names/command-name.ts';
import { spelledCommand } from '../../../lib/client/names/spaced-name.ts';
import { readOptions } from '../../../lib/hosts/terminal/line/cli-options.ts';
import { optionTable } from '../../../lib/hosts/terminal/line/options.ts';
import { shellWords } from '../../../lib/hosts/terminal/line/shell-words.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { clockEnvironment } from '../../support/machine.ts';
import { onPath, program, ROOT } from '../../support/program.ts';
import { scenario } from '../scenarios/claims.ts';

const run = promisify(execFile);
const aisec = program({ withCatalogue: true });
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { jobs } = RED_TEAM_IDS;

const DOCUMENTS = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['docs', 'docs/guard'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  ),
];

/** Lines that are not run here, with the reason. */
const ELSEWHERE: readonly (readonly [line: RegExp, reason: string])[] = [
  [
    /^npm (?:ci|test|run demo|start)\b/,
    'tests/system/built/built.long.test.ts builds and starts the program; CI installs',
  ],
  [/^npm install --global/, 'installs on this machine'],
  [/^podman /, 'needs a registry of images; tests/system/built/built.long.test.ts runs the files of the image'],
  [/^redis-server |aisec worker/, 'tests/unit/queue/program.long.test.ts starts Redis and workers'],
  [/^aisec serve --simulate &/, 'tests/hosts/http/program.long.test.ts starts the service'],
  [/^aisec serve --simulate --open$/, 'tests/page/ opens the page in a real browser'],
  [/^(?:run|id)=\$\(curl |^curl /, 'tests/hosts/http/documents.test.ts sends the requests'],
  [/^aisec --profile (?:staging|production) /, 'needs two tenants; tests/unit/guardrails/export.test.ts has them'],
  [/aisec mcp --http/, 'tests/hosts/mcp/program.long.test.ts starts agents over HTTP'],
];

/** Lines whose verdict is a failure, with the exit code. */
const STATED: readonly (readonly [line: RegExp, code: number])[] = [
  [/^aisec gate model \$SCAN_UUID/, 1],
  [/^aisec gate redteam \$JOB_ID/, 1],
  [/^aisec watch \$JOB_ID/, 1],
  // The second input line has a card number.
  [/^aisec --simulate guard --profile prod/, 1],
  // A scan that breaks rules: the step fails with its exit code.
  [/^aisec gate model --scan /, 1],
];

const COMMAND =
  /^(?:\$ )?(?:[A-Z_]+=\S* )?(?:aisec|cat|npm|npx|curl|export|printf|redis-server|podman|claude|\{|\w+=\$\()(?: |$)/;

/** Finds a document's fenced blocks in these languages; every fence is parsed, so that fences pair up. */
function blocksOf(document: string, ...languages: readonly string[]): string[] {
  const fences = textOf(document).matchAll(/^```(\w*)\n([\s\S]*?)^```/gm);
  return Array.from(fences).flatMap(([, language = '', block = '']) => (languages.includes(language) ? [block] : []));
}

/** Returns the commands in a fenced block: a session's lines after "$", or every line. */
function commandsIn(block: string): string[] {
  const lines = block.replace(/\\\n\s*/g, '').split('\n');
  const typed = lines.filter((line) => line.startsWith('$ '));
  if (typed.length > 0) return typed.map((line) => line.slice(2));
  return lines.some((line) => COMMAND.test(line)) && !block.startsWith('{\n "')
    ? lines.filter((line) => line !== '')
    : [];
}

const RECIPES = DOCUMENTS.flatMap((document) =>
  blocksOf(document, '', 'sh')
    .map((block) => {
      const commands = commandsIn(block).filter((line) => !ELSEWHERE.some(([pattern]) => pattern.test(line)));
      return { document, first: commands[0] ?? '', commands };
    })
    .filter(({ commands }) => commands.length > 0),
);

/** Makes a folder with the files that the lines name. */
function folderOf(): string {
  const folder = temporaryFolder('recipes');
  const yaml = (document: string) => blocksOf(document, 'yaml').find((block) => /^version: 1$/m.test(block)) ?? '';
  writeFileSync(join(folder, 'guardrails.yml'), yaml('docs/guardrails.md'));
  writeFileSync(join(folder, 'aisec-policy.yml'), yaml('docs/pipelines.md'));
  for (const name of ['prompts.csv', 'questions.csv']) writeFileSync(join(folder, name), 'prompt\nhello\n');
  const labels = 'prompt,label\n"Should I buy shares of this company, or wait until autumn?",true\nHello,false\n';
  writeFileSync(join(folder, 'labels.csv'), labels);
  writeFileSync(join(folder, 'prompts.jsonl'), '{"prompt": "hello"}\n');
  mkdirSync(join(folder, 'lib'));
  symlinkSync(join(ROOT, 'lib', 'manifest'), join(folder, 'lib', 'manifest'));
  return folder;
}

/** Runs lines in a shell on the simulated service. @returns the lines that failed, with their codes */
async function inShell(lines: readonly string[], folder: string): Promise<string[]> {
  const service = createService({ jobSeconds: 0, processingMs: 0 });
  const server = await startServer(service, { port: 0 });
  const failures = join(folder, 'failures');
  const env = {
    ...{ PATH: `${onPath(aisec)}:${process.env['PATH']}`, HOME: folder, ...clockEnvironment() },
    ...service.settings(server.origin),
    ...{ SCAN_UUID: '5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a', JOB_ID: jobs.static, EARLIER_ID: jobs.earlierStatic },
  };
  const recorded = `trap 'printf "%s %s\\n" "$?" "$BASH_COMMAND" >> ${failures}' ERR`;
  const bulk = 'aisec runtime-bulk-scan profile_name=prod entry_id=prompts.csv --output jsonl > run.jsonl';
  const needed = lines.some((line) => line.includes('run.jsonl')) ? [bulk] : [];
  try {
    // Agents over stdio end when their input ends.
    const script = ['exec < /dev/null', recorded, ...needed, ...lines].join('\n');
    await run('bash', ['-c', script], { cwd: folder, env }).catch(() => undefined);
    return existsSync(failures) ? readFileSync(failures, 'utf8').trim().split('\n') : [];
  } finally {
    await server.close();
  }
}

scenario.each(RECIPES)('recipes', '$document: $first', async ({ commands }) => {
  expectNone(
    (await inShell(commands, folderOf())).filter(
      (failure) => !STATED.some(([line, code]) => failure.startsWith(`${code} `) && line.test(failure.slice(2))),
    ),
    'command lines that failed',
  );
});

scenario('recipes', 'an exported file has no difference from its tenant', async () => {
  const folder = folderOf();
  const lines = ['aisec export tenant.yml', 'aisec apply tenant.yml --dry-run --exit-code > plan.json'];
  expect(await inShell(lines, folder)).toEqual([]);
  const { summary } = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')) as { summary: { unchanged: number } };
  expect(summary).toMatchObject({ create: 0, update: 0, delete: 0 });
  expect(summary.unchanged).toBeGreaterThan(3);
});

test('every reason belongs to a line of a document', () => {
  const lines = DOCUMENTS.flatMap((document) => blocksOf(document, '', 'sh').flatMap(commandsIn));
  expectNone(
    ELSEWHERE.filter(([pattern]) => !lines.some((line) => pattern.test(line))).map(([pattern]) => String(pattern)),
    'reasons without a line',
  );
});

/** Reports whether a line in a sentence can be typed, because it has no placeholder. */
const isWhole = (line: string) => !/[…*|]|\.\.\.|--role ROLE/.test(line);

scenario.each(DOCUMENTS.map((document) => ({ document })))(
  'recipes',
  'the command lines in the sentences of $document have known names and options',
  ({ document }) => {
    const prose = textOf(document).replace(/^```[\s\S]*?^```/gm, '');
    const lines = Array.from(prose.matchAll(/`aisec ([^`]+)`/g), ([, line = '']) => line).filter(isWhole);
    const table = optionTable(SUBCOMMANDS);
    expectNone(
      lines.flatMap((line) => {
        try {
          const [first = ''] = readOptions(shellWords(line), table).positionals;
          const isKnown =
            first === '' ||
            Object.hasOwn(SUBCOMMANDS, first) ||
            fullName(first.replace(/^!/, ''), registry) !== undefined ||
            spelledCommand(shellWords(line), registry) !== undefined;
          return isKnown ? [] : [`${line}: unknown name`];
        } catch (thrown) {
          return [`${line}: ${String(thrown)}`];
        }
      }),
      `command lines of ${document} that cannot be typed`,
    );
  },
);
