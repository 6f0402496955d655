import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import type { Service } from '../../../fixtures/service/types.ts';
import { ConfigurationError } from '../../../lib/core/errors.ts';
import { writeFileAtomically } from '../../../lib/node/files/atomic-write.ts';
import { commitFile } from '../../../lib/node/files/commit-file.ts';
import { keepBytes, nodeFiles } from '../../../lib/node/files/files.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LINES } from '../../support/lines.ts';
import { shareOf } from '../../support/runs.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';

const folder = () => temporaryFolder('files');
const modeOf = (path: string) => statSync(path).mode & 0o777;

async function opened(directory: string, resume: boolean) {
  const journal = await nodeFiles(directory).journal('work', resume);
  if (journal === undefined) throw new Error('a terminal keeps journals');
  return journal;
}

async function* bytes() {
  yield Buffer.from('x');
}

const SCAN = 'ac61d8f3-057e-4b2c-9048-3fe7b5a91d60';
const JOB = RED_TEAM_IDS.jobs.static;

/** The subcommands and options that write to a path the user chooses. */
const OUTPUTS = [
  { option: 'gate model --sarif', words: (file: string) => ['gate', 'model', SCAN, '--sarif', file], isPrivate: false },
  { option: 'gate model --junit', words: (file: string) => ['gate', 'model', SCAN, '--junit', file], isPrivate: false },
  { option: 'report --html', words: (file: string) => ['report', JOB, '--html', file], isPrivate: true },
  { option: 'compare --html', words: (file: string) => ['compare', JOB, JOB, '--html', file], isPrivate: true },
];

describe('files with prompts and responses', () => {
  scenario(
    'private-files',
    'are readable only by their owner: journals, partial results, results, JSONL, downloads',
    async () => {
      const directory = folder();
      const path = (name: string) => join(directory, name);
      const first = await opened(directory, false);
      await first.results.append('a\n');
      for (const name of readdirSync(directory))
        expect({ name, mode: modeOf(path(name)) }).toEqual({ name, mode: 0o600 });
      await first.suspend();
      const second = await opened(directory, false);
      await second.results.append('b\n');
      await second.commit('done.jsonl', 'application/jsonl');
      const writer = await nodeFiles(directory).create('list.jsonl', 'application/jsonl');
      await writer.write('c\n');
      await writer.close();
      await keepBytes(directory)('report.zip', 'application/zip', bytes());
      const names = ['done.jsonl', 'list.jsonl', 'report.zip', 'work.jsonl'];
      expect(readdirSync(directory).sort()).toEqual(names);
      for (const name of names) expect({ name, mode: modeOf(path(name)) }).toEqual({ name, mode: 0o600 });
    },
  );

  scenario('private-files', 'keep their mode when a run resumes', async () => {
    const directory = folder();
    const partial = join(directory, 'work.partial.jsonl');
    writeFileSync(partial, 'a\n');
    chmodSync(partial, 0o640);
    await (await opened(directory, true)).suspend();
    expect(modeOf(partial)).toBe(0o640);
  });

  scenario.each([
    { name: 'work.partial.jsonl', resume: true },
    { name: 'work.partial.jsonl', resume: false },
    { name: 'work.journal', resume: true },
    { name: 'work.journal', resume: false },
  ])('private-files', 'are not written through a link: $name, resume=$resume', async ({ name, resume }) => {
    const [directory, victim] = [folder(), join(folder(), 'victim')];
    for (const there of [true, false]) {
      if (there) writeFileSync(victim, 'precious');
      const link = join(directory, there ? 'x' : 'y', name);
      mkdirSync(join(link, '..'));
      symlinkSync(there ? victim : `${victim}-2`, link);
      const refused = opened(join(link, '..'), resume);
      await expect(refused).rejects.toThrow(ConfigurationError);
      await expect(refused).rejects.toThrow(`${link} is a symbolic link`);
      expect(readlinkSync(link)).toContain(victim);
      expect(readdirSync(join(link, '..'))).toEqual([name]);
    }
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(existsSync(`${victim}-2`)).toBe(false);
  });

  scenario('private-files', 'get another name if a link has their name, even a dangling link', async () => {
    const [directory, victim] = [folder(), join(folder(), 'victim')];
    symlinkSync(victim, join(directory, 'report.zip'));
    const saved = await keepBytes(directory)('report.zip', 'application/zip', bytes());
    expect(saved.name).toBe('report (1).zip');
    expect(existsSync(victim)).toBe(false);
  });
});

describe.each(OUTPUTS)('$option FILE', ({ words, isPrivate }) => {
  const usual = () => {
    const file = join(folder(), 'usual');
    writeFileSync(file, '');
    return modeOf(file);
  };

  scenario('private-files', 'creates a file that others may read if it has no prompts', async () => {
    const file = join(folder(), 'made');
    await run(words(file));
    expect(modeOf(file)).toBe(isPrivate ? 0o600 : usual());
  });

  scenario('private-files', 'keeps the mode of an existing file', async () => {
    const file = join(folder(), 'there');
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    await run(words(file));
    expect(modeOf(file)).toBe(0o640);
    expect(readFileSync(file, 'utf8')).not.toBe('old');
  });

  scenario.each([{ there: true }, { there: false }])(
    'private-files',
    'writes to the target of a link and keeps the link, existing: $there',
    async ({ there }) => {
      const directory = folder();
      const [link, target] = [join(directory, 'link'), join(directory, 'below', 'target')];
      mkdirSync(join(directory, 'below'));
      if (there) writeFileSync(target, 'old', { mode: 0o600 });
      symlinkSync(join('below', 'target'), link);
      await run(words(link));
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(lstatSync(target).isFile()).toBe(true);
      expect(readFileSync(target, 'utf8')).toMatch(/^[<{]/);
      expect(readdirSync(join(directory, 'below'))).toEqual(['target']);
    },
  );
});

test('a file that the user names keeps its owner', async () => {
  const file = join(folder(), 'theirs');
  writeFileSync(file, 'old');
  if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534);
  const { uid, gid } = statSync(file);
  await writeFileAtomically(file, 'new');
  expect(statSync(file)).toMatchObject({ uid, gid });
});

/** A service that counts its requests, including token requests. */
function counted(): { service: Service; count: () => number } {
  const inner = createService();
  let count = 0;
  const handle: Service['handle'] = (request, clock) => {
    count += 1;
    return inner.handle(request, clock);
  };
  return { service: { ...inner, handle }, count: () => count };
}

describe('before the first request', () => {
  const below = () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    return file;
  };
  const nowhere = () => join(below(), 'nowhere');
  const link = () => {
    const path = join(folder(), 'link');
    symlinkSync('nowhere', path);
    return path;
  };
  const prompts = () => {
    const file = join(folder(), 'prompts.csv');
    const lines = Array.from({ length: 40 }, (_, index) => `Question ${index}`);
    writeFileSync(file, `prompt\n${lines.join('\n')}`);
    return file;
  };
  const bulk = (more = '') =>
    `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${prompts()} ${more}`;

  const REFUSED: { what: string; words: () => string[]; says: RegExp; code?: number }[] = [
    ...OUTPUTS.map(({ option, words }) => ({
      what: `${option} below a file`,
      words: () => words(nowhere()),
      says: /nowhere cannot be written \(ENOTDIR\)/,
    })),
    {
      what: 'a page in no directory',
      words: () => ['report', JOB, '--html', '/no/such/x'],
      says: /cannot be written \(ENOENT\)/,
    },
    {
      what: 'a page instead of a directory',
      words: () => ['report', JOB, '--html', folder()],
      says: /cannot be written \(EISDIR\)/,
    },
    ...['', 'resume=true'].map((more) => ({
      what: `a bulk scan into a directory below a file, ${more}`,
      words: () => ['--files-dir', nowhere(), bulk(more)],
      says: /cannot be written to \S+nowhere \(ENOTDIR\)/,
    })),
    {
      what: 'a bulk scan into a link that leads nowhere, as JSON lines',
      words: () => ['--files-dir', link(), '--output', 'jsonl', bulk()],
      says: /cannot be written to \S+link \(ENOENT\)/,
    },
    {
      what: 'any command with an impossible directory for files',
      words: () => ['--files-dir', nowhere(), '!aisec-runtime-topics-list'],
      says: /cannot be written to \S+nowhere/,
    },
    {
      what: 'a download',
      words: () => ['--files-dir', nowhere(), `!aisec-redteam-report-download job_id=${JOB} file_format=CSV`],
      says: /cannot be written to \S+nowhere/,
    },
    ...[
      'aisec-runtime-dlp-dictionaries-create',
      'aisec-runtime-dlp-dictionaries-replace',
      'aisec-redteam-prompt-sets-upload',
    ].map((name) => ({
      what: `${name} with a missing file`,
      words: () => [`!${name} ${LINES[name]?.replace(/(entry_id|entryID)=\S+/, '$1=/no/such/file')}`],
      says: /The file \/no\/such\/file does not exist/,
      code: 2,
    })),
    {
      what: 'a bulk scan of a missing file',
      words: () => ['!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=/no/such/file'],
      says: /The file \/no\/such\/file does not exist/,
      code: 2,
    },
  ];

  scenario.each(REFUSED)('before-quota', '$what is refused', async ({ words, says, code = 3 }) => {
    const { service, count } = counted();
    const ended = await run(words(), { service });
    expect({ code: ended.code, requests: count() }).toEqual({ code, requests: 0 });
    expect(ended.stderr).toMatch(says);
  });

  scenario.each([
    { what: 'a download', line: () => `!aisec-redteam-report-download job_id=${JOB} file_format=CSV` },
    { what: 'a bulk scan', line: () => bulk() },
  ])('before-quota', '$what detects that the current directory cannot be written', async ({ line }) => {
    const { service, count } = counted();
    const typed = line();
    const before = process.cwd();
    // Nobody can create a file in a removed directory, not even root.
    const gone = join(folder(), 'gone');
    mkdirSync(gone);
    process.chdir(gone);
    try {
      rmdirSync(gone);
      const ended = await run([typed], { service });
      expect({ code: ended.code, requests: count() }).toEqual({ code: 3, requests: 0 });
      expect(ended.stderr).toMatch(/cannot be written/);
    } finally {
      process.chdir(before);
    }
  });

  scenario('before-quota', 'the check leaves no file or directory behind', async () => {
    const directory = folder();
    const wanted = join(directory, 'new', 'place');
    expect((await run(['--files-dir', wanted, '!aisec-runtime-topics-list limit=1'])).code).toBe(0);
    expectNone(readdirSync(directory), 'files');
  });
});

describe('a file with an existing name', () => {
  test('gets the first free number, including a gap', async () => {
    const directory = folder();
    for (const name of ['a.txt', 'a (1).txt', 'a (3).txt']) writeFileSync(join(directory, name), 'old');
    for (const expected of ['a (2).txt', 'a (4).txt']) {
      const unfinished = join(directory, 'unfinished');
      writeFileSync(unfinished, 'new');
      expect(basename(await commitFile(unfinished, directory, 'a.txt'))).toBe(expected);
      expect(readFileSync(join(directory, 'a (3).txt'), 'utf8')).toBe('old');
    }
  });

  test('gets a free number after many others with one read of the directory', async () => {
    const directory = folder();
    const count = shareOf(10_000);
    const names = ['a.txt', ...Array.from({ length: count }, (_, index) => `a (${index + 1}).txt`)];
    spawnSync('xargs', ['-0', 'touch'], { cwd: directory, input: names.join('\0') });
    const unfinished = join(directory, 'unfinished');
    writeFileSync(unfinished, 'new');
    expect(basename(await commitFile(unfinished, directory, 'a.txt'))).toBe(`a (${count + 1}).txt`);
  });

  test('gets a unique name, also among files created at the same time', async () => {
    const directory = folder();
    const made = await Promise.all(
      Array.from({ length: 30 }, () => keepBytes(directory)('a.zip', 'application/zip', bytes())),
    );
    expect(new Set(made.map(({ name }) => name)).size).toBe(30);
    expect(readdirSync(directory)).toHaveLength(30);
  });
});
