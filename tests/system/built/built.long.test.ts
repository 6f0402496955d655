/** The installed package behaves like the sources. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { filesIn } from '../../support/built-once.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LINE_FILES, LINE_ROWS } from '../../support/lines.ts';
import { ROOT } from '../../support/program.ts';
import { copiedFiles, entryPoint } from '../release/containerfile.ts';
import { scenario } from '../scenarios/claims.ts';
import { checkCodeCache } from './code-cache.ts';
import { checkConnections } from './connections.ts';
import { type Packed, packedAgain, sharedPackage } from './package.ts';
import { byPackage, bySources, type Run } from './sources.ts';
import { checkUses } from './uses.ts';

/** Timeout for a build, and for all commands in sequence, on a busy machine. */
const LONG_MS = 400_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const { jobs } = RED_TEAM_IDS;
const BLOCKED_MODEL = '5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a';
const FOREIGN = 'Ünïcödé › 日本語 “…” 🙂';
const playbookFile = (name: string) => join(ROOT, 'lib', 'manifest', 'assets', 'playbooks', `${name}.yml`);
const PLAYBOOK = playbookFile('scan-prompt');

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: object };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly unknown[];
    readonly licenses?: readonly unknown[];
  }[];
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

let one: Packed;
let other: Awaited<ReturnType<typeof packedAgain>>;

beforeAll(async () => {
  one = await sharedPackage();
  other = await packedAgain();
}, LONG_MS);

const program = () => join(one.installed, 'dist', 'aisec.cjs');

/** Every command, with the files its line names. */
const names = new RegExp(`=(${Object.keys(LINE_FILES).join('|')})(?=\\s|$)`, 'g');
const EVERY_LINE = LINE_ROWS.map(({ line }) => line.replace(names, '={folder}/$1')).join('\n');

interface Row extends Run {
  readonly title: string;
  /** Exit code; default 0. */
  readonly code?: number;
}

const RUNS: readonly Row[] = [
  { title: 'its help', argv: ['--help'] },
  { title: 'the help of a command', argv: ['help', 'aisec-runtime-profiles-update'] },
  { title: 'the list of commands', argv: ['commands', '--output', 'table'] },
  { title: 'the list of commands as JSON', argv: ['commands', '--json'] },
  ...[jobs.static, jobs.dynamic, jobs.custom].map((job) => ({
    title: `the page of the scan ${job}`,
    argv: ['report', job, '--html', '{made}/report.html'],
  })),
  {
    title: 'the page of a comparison',
    argv: ['compare', jobs.earlierStatic, jobs.static, '--html', '{made}/comparison.html', '--output', 'json'],
  },
  {
    title: 'a gate with its files',
    argv: ['gate', 'model', BLOCKED_MODEL, '--sarif', '{made}/a.sarif', '--junit', '{made}/b.xml', '--output', 'table'],
    code: 1,
  },
  {
    title: 'a playbook',
    argv: ['playbook', PLAYBOOK, '--input', 'profile_name=prod', '--input', `prompt=${FOREIGN}`, '--output', 'table'],
  },
  {
    title: 'a playbook that replaces a key',
    argv: [
      ...['playbook', playbookFile('rotate-runtime-key'), '--input', 'api_key_name=claims-assistant-key'],
      ...['--input', 'ask=no', '--files-dir', '{made}', '--output', 'table'],
    ],
  },
  ...['guardrails.yml', 'invalid-guardrails.yml'].map((name) => ({
    title: `the application of ${name}`,
    argv: ['apply', join(ROOT, 'tests', 'unit', 'guardrails', name), '--yes', '--output', 'table'],
    code: name === 'guardrails.yml' ? 0 : 2,
  })),
  {
    title: 'a table in several scripts',
    argv: ['--output', 'table'],
    input: `!aisec-runtime-topics-create topic_name="${FOREIGN}" description="${FOREIGN}" examples="${FOREIGN},b"\n!aisec-runtime-topics-list limit=50\n`,
  },
  ...['json', 'jsonl'].map((format) => ({
    title: `what --jq takes from ${format}`,
    argv: ['!aisec-runtime-topics-list', '--output', format, '--jq', '[.. | .topic_name? // empty] | sort'],
  })),
  { title: 'an invalid jq expression', argv: ['!aisec-runtime-topics-list', '--jq', '.outputs['], code: 2 },
  { title: 'an error', argv: ['!aisec-runtime-scan', '--output', 'table'], code: 2 },
  ...['table', 'entry'].map((format) => ({
    title: `every command as ${format}`,
    argv: ['--keep-going', '--files-dir', '{made}', '--output', format],
    input: EVERY_LINE,
    // Few lines change what they read, and each of those gets a service in its initial state.
    code: 5,
  })),
];

describe('the installed program', () => {
  scenario.each(RUNS)(
    'built-output',
    'prints $title exactly as the sources do',
    async ({ code = 0, ...run }) => {
      const [installed, sources] = await Promise.all([byPackage(program(), run), bySources(run, version)]);
      expect(installed).toEqual(sources);
      expect({ code: installed.code, stderr: installed.stderr }).toMatchObject({ code });
      const failed = installed.stderr.match(/^error: line/gm) ?? [];
      expect(failed.length).toBeLessThan(LINE_ROWS.length / 10);
    },
    LONG_MS,
  );

  test('needs no other package', async () => {
    const { code, stdout } = await byPackage(program(), { argv: ['--version'] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `aisec ${version}\n` });
    expectNone(
      [...filesIn(one.installed).keys()].filter((name) => name.includes('node_modules')),
      'packages in the installed package',
    );
  });

  test('runs from the files that Containerfile copies', async () => {
    const image = temporaryFolder('image');
    const copied = copiedFiles().map(([path]) => new RegExp(`^${path.replaceAll('.', '\\.').replace('*', '[^/]*')}$`));
    for (const [name, bytes] of filesIn(one.installed)) {
      if (!copied.some((pattern) => pattern.test(name))) continue;
      mkdirSync(dirname(join(image, name)), { recursive: true });
      writeFileSync(join(image, name), bytes);
    }
    const argv = ['commands', '--json'];
    const [inImage, installed] = await Promise.all([
      byPackage(join(image, entryPoint()), { argv }),
      byPackage(program(), { argv }),
    ]);
    expect(inImage).toEqual(installed);
    expect(inImage.code).toBe(0);
  });
});

describe('the package', () => {
  test('has the same bytes when it is built again in another folder', () => {
    const [files, again] = [filesIn(one.installed), filesIn(other.installed)];
    expect([...files.keys()]).toEqual([...again.keys()]);
    expectNone(
      [...files].filter(([name, bytes]) => !again.get(name)?.equals(bytes)).map(([name]) => name),
      'files that differ in the second build',
    );
    expect(one.archive.equals(other.archive)).toBe(true);
  });

  test('has the program and its documents, and no other file of the checkout', () => {
    const inBuild = [...filesIn(join(one.installed, 'dist')).keys()].filter(
      (name) => !/^lib\/\w+\.js$|^types\/(?:bin|catalogue|commands|context|fixtures|lib)\/.*\.d\.ts$/.test(name),
    );
    expect(inBuild).toEqual([
      'aisec.1',
      'aisec.cjs',
      'catalogue.txt',
      expect.stringMatching(/^chunks-[0-9a-f]{16}\.js$/),
      'code-cache.cjs',
      ...['guard-ai-sdk.js', 'guard-claude-agent.js', 'guard-http.js', 'guard-langchain.js', 'guard-mcp.js'],
      ...['guard-openai-agents.js', 'guard.js'],
      'library.js',
      'licences.txt',
      ...['page/index.html', 'page/page.css', 'page/page.js'],
      'playbooks.json',
      'sbom.cdx.json',
      'simulator.js',
    ]);
  });

  test('lists every bundled package in its bill of materials and its licences', () => {
    const dist = filesIn(join(one.installed, 'dist'));
    const bill = JSON.parse(dist.get('sbom.cdx.json')?.toString() ?? '') as Bill;
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.metadata.component).toMatchObject({ name: 'aisec', version });
    const listed = bill.components.map((part) => `${part.name} ${part.version}`);
    expectNone(
      bill.components.filter(({ hashes, licenses }) => !hashes?.length || !licenses?.length),
      'components without a hash or a licence',
    );
    const licensed = [...(dist.get('licences.txt')?.toString() ?? '').matchAll(/^(\S+ \d+\.\d+\.\d+(?:-\S+)?)\n\n/gm)];
    expect(licensed.map(([, title]) => title)).toEqual(listed);
    // Bundled only for the terminal, for the simulated service, and in front of every request.
    expect(listed).toEqual(
      expect.arrayContaining([/^string-width /, /^fflate /, /^ky /].map((name) => expect.stringMatching(name))),
    );
  });

  test('imports the dependencies of the library, and a framework only in its adapter', async () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(one.installed, 'package.json'), 'utf8'),
    ) as Manifest;
    const dist = join(one.installed, 'dist');
    const entries = [...filesIn(dist).keys()].filter((name) => /^[a-z-]+\.js$/.test(name));
    const importedBy = async (names: readonly string[]) => {
      const { metafile } = await build({
        entryPoints: names.map((name) => join(dist, name)),
        ...{ bundle: true, format: 'esm', platform: 'node', packages: 'external', metafile: true, write: false },
        outdir: dist,
      });
      const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
      const outside = imported.filter((name) => !isBuiltin(name));
      return [...new Set(outside.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name))].sort();
    };
    const isAdapter = (name: string) => name.startsWith('guard-');
    expect(await importedBy(entries.filter((name) => !isAdapter(name)))).toEqual(Object.keys(dependencies).sort());
    const known = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    expect((await importedBy(entries.filter(isAdapter))).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('names no folder of the build machine, and is UTF-8 throughout', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for (const [name, bytes] of filesIn(other.installed)) {
      const text = decoder.decode(bytes);
      const found = [other.sources, ROOT, process.execPath].filter((place) => text.includes(place));
      expect({ name, found }).toEqual({ name, found: [] });
    }
  });
});

checkCodeCache(program, version);
checkConnections(program, LONG_MS);
checkUses(program, LONG_MS);
