/** The compiled code that the installed program caches is used only if no other user can have written it. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { ended, start } from '../../support/program.ts';

const OTHER_USER = 65_534;
const POISON = '6.6.6';
const isRoot = process.geteuid?.() === 0;

const bits = (path: string) => statSync(path).mode & 0o777;

/** Ways in which another user could have written the file. */
const UNSAFE: readonly { title: string; spoil(file: string): void; needsRoot?: boolean }[] = [
  { title: 'its folder can be written by a group', spoil: (file) => chmodSync(dirname(file), 0o770) },
  { title: 'its folder can be written by all', spoil: (file) => chmodSync(dirname(file), 0o707) },
  { title: 'it can be written by a group', spoil: (file) => chmodSync(file, 0o620) },
  { title: 'it can be written by all', spoil: (file) => chmodSync(file, 0o602) },
  { title: 'its folder can be replaced', spoil: (file) => chmodSync(dirname(dirname(file)), 0o777) },
  { title: 'its folder is a link', spoil: (file) => moveBehindLink(dirname(file)) },
  { title: 'it is a link', spoil: moveBehindLink },
  { title: 'its folder is not ours', spoil: (file) => chownSync(dirname(file), OTHER_USER, 0), needsRoot: true },
  { title: 'it is not ours', spoil: (file) => chownSync(file, OTHER_USER, 0), needsRoot: true },
];

/** Homes in which nothing can be stored. */
const WITHOUT: readonly { title: string; environment(home: string): Record<string, string> }[] = [
  { title: 'without a home', environment: () => ({ HOME: '' }) },
  { title: 'with a home that is not there', environment: (home) => ({ HOME: join(home, 'missing') }) },
  { title: 'with a file instead of the cache', environment: blockedHome },
  { title: 'with a relative cache folder and no home', environment: () => ({ HOME: '', XDG_CACHE_HOME: 'cache' }) },
  { title: 'when Node is asked not to keep code', environment: () => ({ NODE_DISABLE_COMPILE_CACHE: '1' }) },
];

/** @param program its path, once it exists */
export function checkCodeCache(program: () => string, version: string): void {
  const answer = { code: 0, stdout: `aisec ${version}\n`, stderr: '' };
  const run = async (home: string, words = ['--version'], environment: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, stderr } = await ended(start(program(), words, { folder: home, environment }));
    return { code, stdout, stderr };
  };
  /** A home in which the program has run, and its cache file. */
  const usedHome = async () => {
    const home = temporaryFolder('cache');
    expect(await run(home)).toEqual(answer);
    return { home, file: onlyFile(join(home, '.cache', 'aisec')) };
  };

  describe("V8's code cache", () => {
    test('is readable only by its user, reused, and extended when another command needs more', async () => {
      const { home, file } = await usedHome();
      expect([bits(dirname(file)), bits(file)]).toEqual([0o700, 0o600]);
      const first = statSync(file);
      expect(await run(home)).toEqual(answer);
      expect(statSync(file)).toMatchObject({ ino: first.ino, mtimeMs: first.mtimeMs });
      const help = await run(home, ['help', 'aisec-runtime-scan']);
      const second = statSync(file);
      expect(second.size).toBeGreaterThan(first.size);
      expect(await run(home, ['help', 'aisec-runtime-scan'])).toEqual(help);
      expect(await run(home)).toEqual(answer);
      expect(statSync(file)).toMatchObject({ ino: second.ino, mtimeMs: second.mtimeMs });
    });

    test('is in XDG_CACHE_HOME if set', async () => {
      const [home, cache] = [temporaryFolder('cache'), temporaryFolder('cache')];
      await run(home, ['--version'], { XDG_CACHE_HOME: cache });
      expect([readdirSync(home), readdirSync(cache)]).toEqual([[], ['aisec']]);
    });

    test('is loaded only from a folder that no other user can write', async () => {
      const { home, file } = await usedHome();
      poison(file, version);
      expect(await run(home)).toEqual({ ...answer, stdout: `aisec ${POISON}\n` });
    });

    test.each(UNSAFE)('is not loaded if $title', async ({ spoil, needsRoot = false }) => {
      if (needsRoot && !isRoot) return;
      const { home, file } = await usedHome();
      poison(file, version);
      spoil(file);
      const before = existsSync(file) ? readFileSync(file) : undefined;
      expect(await run(home)).toEqual(answer);
      // Leave files in an unsafe place alone, and repair our own file.
      const after = existsSync(file) ? readFileSync(file) : undefined;
      if (bits(dirname(file)) !== 0o700) expect(after).toEqual(before);
    });

    test.each(WITHOUT)('is skipped silently $title', async ({ environment }) => {
      const home = temporaryFolder('cache');
      const given = environment(home);
      const before = readdirSync(home);
      expect(await run(home, ['--version'], given)).toEqual(answer);
      expect(readdirSync(home)).toEqual(before);
    });

    test.each([0, 7, 100, 50_000])('is rebuilt if only %i bytes of it exist', async (bytes) => {
      const { home, file } = await usedHome();
      const { size } = statSync(file);
      truncateSync(file, bytes);
      expect(await run(home)).toEqual(answer);
      // V8 does not produce the same bytes each time.
      expect(statSync(file).size).toBeGreaterThan(size * 0.9);
      expect(readdirSync(dirname(file))).toHaveLength(1);
    });

    test('is rebuilt if a block of it is lost', async () => {
      const { home, file } = await usedHome();
      const { size, ino } = statSync(file);
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0, 20_480, 24_576));
      expect(await run(home)).toEqual(answer);
      expect(statSync(file)).not.toMatchObject({ ino });
      expect(statSync(file).size).toBeGreaterThan(size * 0.9);
    });

    test('of old versions is removed, except the latest three', async () => {
      const { home, file } = await usedHome();
      for (const day of [1, 2, 3, 4, 5]) {
        const old = join(dirname(file), `0.0.${day}.code`);
        writeFileSync(old, '');
        utimesSync(old, day * 86_400, day * 86_400);
      }
      await run(home, ['commands']);
      expect(readdirSync(dirname(file)).filter((name) => name.startsWith('0.0.'))).toEqual([
        '0.0.3.code',
        '0.0.4.code',
        '0.0.5.code',
      ]);
    });
  });
}

function onlyFile(folder: string): string {
  const found = readdirSync(folder);
  expect(found).toHaveLength(1);
  return join(folder, found[0] ?? '');
}

/** Changes the version in the cached code, as another user with write access would. */
function poison(file: string, version: string): void {
  const bytes = readFileSync(file);
  const start = 8 + bytes.readUInt32LE(0);
  const body = bytes.subarray(start);
  const at = body.indexOf(version, 'latin1');
  expect(at).toBeGreaterThan(0);
  body.write(POISON.padEnd(version.length, '6'), at, 'latin1');
  const places = JSON.parse(bytes.toString('utf8', 8, start)) as [string, number, number, number][];
  const sampled = places.map(([name, from, length]) => [
    name,
    from,
    length,
    sampleOf(body.subarray(from, from + length)),
  ]);
  const table = JSON.stringify(sampled);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(table.length, 0);
  sizes.writeUInt32LE(8 + table.length + body.length, 4);
  writeFileSync(file, Buffer.concat([sizes, Buffer.from(table), body]));
}

/** As the loader computes it. */
function sampleOf(bytes: Buffer): number {
  let sample = bytes.length;
  for (let at = 0; at + 4 <= bytes.length; at += 512) sample = (Math.imul(sample, 31) + bytes.readInt32LE(at)) | 0;
  return sample;
}

function moveBehindLink(path: string): void {
  renameSync(path, `${path}-real`);
  symlinkSync(`${path}-real`, path);
}

function blockedHome(home: string): Record<string, string> {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, '.cache'), '');
  return {};
}
