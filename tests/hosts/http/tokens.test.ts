/** Tokens: their file, their management in the terminal, and the check of the tokens that callers send. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, NotAllowedError, UsageError } from '../../../lib/core/errors.ts';
import { type Authenticate, authenticatorOf } from '../../../lib/hosts/http/access/authenticate.ts';
import { addToken, listTokens, revokeToken } from '../../../lib/hosts/http/access/manage.ts';
import { callerNow, currentRights, ownerOf } from '../../../lib/hosts/http/access/rights.ts';
import {
  type NewToken,
  openTokenFile,
  type TokenFile,
  type TokenSnapshot,
  tokenDigest,
} from '../../../lib/hosts/http/access/tokens.ts';
import { catalogueEntry } from '../../../lib/manifest/command-catalogue.ts';
import { tokensPath } from '../../../lib/node/system/user-folder.ts';
import { commandOf } from '../../support/declared.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TEST_TIME, type TestClock, testClock } from '../../support/simulated.ts';

describe('the file', () => {
  const DAY = 86_400_000;
  const now = () => TEST_TIME;
  const newPath = () => join(temporaryFolder('tokens'), 'deeper', 'tokens.json');
  const fileAt = (path: string) => openTokenFile(path, now);
  const entry = (changes: object = {}) => ({
    name: 'ci',
    sha256: 'a'.repeat(64),
    role: 'read',
    created: '2026-11-21T12:00:00.000Z',
    ...changes,
  });

  /** Writes a token file as an editor would. */
  function written(text: string, mode = 0o600): string {
    const path = join(temporaryFolder('tokens'), 'tokens.json');
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );

  test('a new token is random, and the file has only its digest and limits', async () => {
    const path = newPath();
    const file = fileAt(path);
    expect(await file.list()).toEqual([]);
    const limits = { role: 'operate', toolsets: ['runtime', 'dlp', 'dlp'], profile: 'eu', expires: TEST_TIME + DAY };
    const { token } = await file.add({ name: 'ci', ...limits });
    const other = await file.add({ name: 'cd', role: 'read' });
    expect(token).toMatch(/^aisec_[\w-]{43}$/);
    expect(other.token).not.toBe(token);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(token.slice('aisec_'.length));
    expect(await file.list()).toEqual([
      {
        name: 'ci',
        role: 'operate',
        toolsets: ['runtime', 'dlp'],
        profile: 'eu',
        sha256: tokenDigest(token).toString('hex'),
        created: '2026-11-21T12:00:00.000Z',
        expires: '2026-11-22T12:00:00.000Z',
      },
      other.entry,
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  test('revoking removes exactly one token', async () => {
    const file = fileAt(newPath());
    for (const name of ['one', 'two', 'three']) await file.add({ name, role: 'read' });
    expect(await file.revoke('two')).toMatchObject({ name: 'two' });
    expect((await file.list()).map(({ name }) => name)).toEqual(['one', 'three']);
  });

  test.each([
    ['tree', 'tree', 'Did you mean "three"?'],
    ['x'.repeat(61), 'x'.repeat(60), 'List them with: aisec serve tokens'],
  ])('revoking the unknown token %s is refused', async (name, shown, hint) => {
    const file = fileAt(newPath());
    await file.add({ name: 'three', role: 'read' });
    const failure = await failureOf(file.revoke(name));
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toMatchObject({ message: `There is no token "${shown}".`, hint });
  });

  test('two concurrent writers lose no token', async () => {
    const path = newPath();
    const names = Array.from({ length: 6 }, (_, index) => `token-${index}`);
    const outcomes = await Promise.allSettled(names.map((name) => fileAt(path).add({ name, role: 'read' })));
    const added = names.filter((_, at) => outcomes[at]?.status === 'fulfilled');
    expect(added.length).toBeGreaterThan(0);
    expect((await fileAt(path).list()).map(({ name }) => name).sort()).toEqual(added);
  });

  const NAME = [
    'A token name has 1 to 60 letters, digits, "_", "." or "-".',
    'Name the program or the person that uses it, such as ci-scan.',
  ] as const;
  const PROFILE = [
    'A profile name has 1 to 100 printable characters.',
    'Name a section of the settings file.',
  ] as const;
  const END = ['The token must expire in the future, and before the year 10000.', undefined] as const;
  const ROLES = 'Roles: read, operate, admin.';
  const TOOLSETS = 'Toolsets: runtime, dlp, red-team, model-security, all.';
  const LAST_YEAR = Date.UTC(10_000, 0, 1);

  test.each<[string, Partial<NewToken>, readonly [message: string, hint: string | undefined]]>([
    ['a name with a line feed', { name: 'ci\nadmin' }, NAME],
    ['a long name', { name: 'x'.repeat(61) }, NAME],
    ['a role in capitals', { role: 'Admin' }, ['There is no role "Admin".', `Did you mean "admin"? ${ROLES}`]],
    ['a long role', { role: 'x'.repeat(61) }, [`There is no role "${'x'.repeat(60)}".`, ROLES]],
    [
      'an unknown toolset',
      { toolsets: ['runtime', '__proto__'] },
      ['There is no toolset "__proto__".', `${TOOLSETS} List the commands with: aisec commands`],
    ],
    ['no toolset', { toolsets: [] }, ['No toolset is named.', TOOLSETS]],
    ['a profile that ends in a control character', { profile: 'eu\u0000' }, PROFILE],
    ['a long profile', { profile: 'x'.repeat(101) }, PROFILE],
    ['an expiry in the past', { expires: TEST_TIME }, END],
    ['an expiry with a five-digit year', { expires: LAST_YEAR }, END],
  ])('%s is refused, and nothing is written', async (_, request, [message, hint]) => {
    const path = newPath();
    const failure = await failureOf(fileAt(path).add({ name: 'ci', role: 'read', ...request }));
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toMatchObject({ message, hint });
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  test('a token may have the longest name and profile, and expire in the year 9999', async () => {
    const file = fileAt(newPath());
    const longest = { name: 'x'.repeat(60), role: 'read', profile: 'y'.repeat(100), expires: LAST_YEAR - 1 };
    await file.add(longest);
    expect(await file.list()).toMatchObject([{ ...longest, expires: '9999-12-31T23:59:59.999Z' }]);
  });

  test('a duplicate name is refused', async () => {
    const file = fileAt(newPath());
    await file.add({ name: 'ci', role: 'read' });
    expect(await failureOf(file.add({ name: 'ci', role: 'admin' }))).toMatchObject({
      code: 'usage',
      message: 'A token "ci" already exists.',
      hint: 'Choose another name, or revoke it first: aisec serve token ci --revoke',
    });
  });

  test('a dry run checks a change, and writes nothing', async () => {
    const path = newPath();
    const file = fileAt(path);
    expect(await file.add({ name: 'ci', role: 'read' }, true)).toMatchObject({ entry: { name: 'ci' } });
    expect(() => statSync(join(path, '..'))).toThrow('ENOENT');
    const { entry: kept } = await file.add({ name: 'ci', role: 'read' });
    expect(await failureOf(file.add({ name: 'ci', role: 'read' }, true))).toBeInstanceOf(UsageError);
    expect(await failureOf(file.revoke('cd', true))).toBeInstanceOf(UsageError);
    expect(await file.revoke('ci', true)).toEqual(kept);
    expect(await file.list()).toStrictEqual([kept]);
  });

  const file = (...tokens: unknown[]) => JSON.stringify({ tokens });
  const ALONE = 'must be a JSON object with only the list "tokens"';
  const MEMBERS = 'its members are name, sha256, role, toolsets, profile, created, expires';
  const DIGEST = 'sha256 must be 64 hexadecimal digits in lower case';
  const LIST = 'toolsets must be a list of runtime, dlp, red-team, model-security, all';
  const dateOf = (member: string) => `${member} must be a date and time in UTC, such as 2026-01-31T12:00:00Z`;

  test.each<[string, string, string]>([
    ['is empty', '', ALONE],
    ['is a list', '[]', ALONE],
    ['has further members', '{"tokens": [], "role": "admin"}', ALONE],
    ['has one digest for two names', file(entry(), entry({ name: 'two' })), 'has two tokens with the same sha256'],
    ['has one name twice', file(entry(), entry({ sha256: 'b'.repeat(64) })), 'has two tokens with the same name'],
    ['is larger than 10 MB', file().padEnd(10_000_001), 'is larger than 10 MB'],
    ...(
      [
        ['a token that is not an object', null, 'it is not an object'],
        ['a misspelt limit', entry({ expire: '2026-01-01T00:00:00Z' }), MEMBERS],
        ['a key of the prototype', JSON.parse('{"__proto__": {"role": "admin"}, "name": "x"}'), MEMBERS],
        ['an unknown role', entry({ role: 'root' }), 'role must be one of read, operate, admin'],
        ['an unknown toolset', entry({ toolsets: ['everything'] }), LIST],
        ['no toolset in a list', entry({ toolsets: [] }), LIST],
        ['a short digest', entry({ sha256: 'a'.repeat(63) }), DIGEST],
        ['a digest followed by a letter', entry({ sha256: `${'a'.repeat(64)}x` }), DIGEST],
        ['a creation that is not a date', entry({ created: '2026-11-21' }), dateOf('created')],
        ['an expiry that is not a date', entry({ expires: 'never' }), dateOf('expires')],
      ] as const
    ).map(([what, wrong, why]): [string, string, string] => {
      const right = entry({ name: 'right', sha256: 'c'.repeat(64) });
      return [`has ${what}`, file(right, wrong), `is wrong at token 2: ${why}`];
    }),
  ])('a file that %s is refused, and the error shows no digest', async (_, text, why) => {
    const path = written(text);
    const failure = await failureOf(fileAt(path).list());
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(failure).toMatchObject({
      message: `The token file ${path} ${why}.`,
      hint: 'Restore it, or remove it and make new tokens with: aisec serve token NAME --role ROLE',
    });
    expect(String(failure)).not.toMatch(/aaaa/);
  });

  test('a file of 10 MB is read, and dates need no milliseconds', async () => {
    const plain = entry({ created: '2026-01-31T12:00:00Z', expires: '2026-01-31T12:00:00.5Z' });
    expect(await fileAt(written(file(plain).padEnd(10_000_000))).list()).toEqual([plain]);
  });

  test.each([
    ['others can read', () => written('{"tokens": []}', 0o640), 'can be read or changed by other users.', 'chmod 600'],
    [
      'others can change',
      () => written('{"tokens": []}', 0o602),
      'can be read or changed by other users.',
      'chmod 600',
    ],
    ['is a link', () => linkTo(written('{"tokens": []}')), 'is a symbolic link, which is not followed.', 'file itself'],
    ['is a directory', () => temporaryFolder('tokens'), 'is not a file.', 'another path'],
  ])('a file that %s is refused, and the error says what to do', async (_, make, why, hint) => {
    const path = make();
    for (const work of [fileAt(path).list(), fileAt(path).add({ name: 'ci', role: 'admin' })]) {
      const failure = await failureOf(work);
      expect(failure).toBeInstanceOf(ConfigurationError);
      expect(failure).toMatchObject({
        message: `The token file ${path} ${why}`,
        hint: expect.stringContaining(hint),
      });
    }
  });

  function linkTo(target: string): string {
    const path = join(temporaryFolder('tokens'), 'link.json');
    symlinkSync(target, path);
    return path;
  }
});

describe('the operator of the service', () => {
  const DAY = 86_400_000;
  const now = () => TEST_TIME;

  /** Writes a settings file with these profiles. */
  function settingsOf(...profiles: string[]): string {
    const path = join(temporaryFolder('tokens'), 'settings.yml');
    const sections = profiles.map((name) => `  ${name}: {}\n`).join('');
    writeFileSync(path, `profiles:\n${sections}`, { mode: 0o600 });
    return path;
  }

  const request = () => ({ tokensFile: join(temporaryFolder('tokens'), 'tokens.json'), environment: {}, now });

  test('a token is added, listed without its digest, and revoked', async () => {
    const tokens = request();
    const wanted = { ...tokens, name: 'ci', role: 'operate', toolsets: ' runtime, dlp ', expiresIn: '90d' };
    const { token, entry: added, path } = await addToken(wanted);
    expect(path).toBe(tokens.tokensFile);
    expect(added).toEqual({
      name: 'ci',
      role: 'operate',
      toolsets: ['runtime', 'dlp'],
      created: '2026-11-21T12:00:00.000Z',
      expires: '2027-02-19T12:00:00.000Z',
      expired: false,
    });
    expect(await listTokens(tokens)).toEqual([added]);
    expect(JSON.stringify(added)).not.toContain(tokenDigest(token).toString('hex'));
    const later = { ...tokens, now: () => TEST_TIME + 90 * DAY };
    expect(await listTokens(later)).toEqual([{ ...added, expired: true }]);
    await addToken({ ...wanted, name: 'dry', dryRun: true });
    await revokeToken({ ...tokens, name: 'ci', dryRun: true });
    expect(await listTokens(tokens)).toEqual([added]);
    expect(await revokeToken({ ...tokens, name: 'ci' })).toEqual(added);
    expect(await listTokens(tokens)).toEqual([]);
  });

  test.each([
    ['1m', '2026-11-21T12:01:00.000Z'],
    [' 12h ', '2026-11-22T00:00:00.000Z'],
    ['4w', '2026-12-19T12:00:00.000Z'],
  ])('a token for "%s" expires at %s', async (expiresIn, expires) => {
    const { entry } = await addToken({ ...request(), name: 'ci', role: 'read', expiresIn });
    expect(entry).toMatchObject({ expires, expired: false });
  });

  test.each(['0d', '90', '1y', '1.5h', `${'9'.repeat(70)}d`])('the time "%s" is refused', async (expiresIn) => {
    await expect(addToken({ ...request(), name: 'ci', role: 'read', expiresIn })).rejects.toMatchObject({
      code: 'usage',
      message: `"${expiresIn.slice(0, 60)}" is not a valid token lifetime.`,
      hint: 'Write minutes, hours, days or weeks, such as 30m, 12h, 90d or 4w.',
    });
  });

  test.each([
    ['eurpe', 'eurpe', 'Did you mean "europe"? Profiles: europe, asia.'],
    ['x'.repeat(61), 'x'.repeat(60), 'Profiles: europe, asia.'],
  ])('the profile %s, which is not a section of the settings file, is refused', async (profile, shown, hint) => {
    const wanted = { ...request(), configFile: settingsOf('europe', 'asia'), name: 'ci', role: 'read' };
    await expect(addToken({ ...wanted, profile })).rejects.toMatchObject({
      code: 'usage',
      message: `There is no profile "${shown}".`,
      hint,
    });
    expect(await listTokens(wanted)).toEqual([]);
    expect(await addToken({ ...wanted, profile: 'asia' })).toMatchObject({ entry: { profile: 'asia' } });
  });

  test('the file is next to the settings file by default', async () => {
    const home = temporaryFolder('tokens');
    mkdirSync(join(home, '.config'));
    const environment = { HOME: home };
    expect(tokensPath(environment)).toBe(join(home, '.config', 'aisec', 'tokens.json'));
    const { path } = await addToken({ environment, now, name: 'ci', role: 'read' });
    expect(path).toBe(tokensPath(environment));
    expect(await listTokens({ environment, now })).toHaveLength(1);
  });
});

describe('the check of tokens', () => {
  /** Lists what this process has open, on systems that report it. */
  const OPEN_FILES = '/proc/self/fd';

  interface Watched {
    readonly file: TokenFile;
    readonly clock: TestClock;
    readonly authenticate: Authenticate;
    readonly warnings: readonly string[];
  }

  function watched(): Watched {
    const clock = testClock();
    const warnings: string[] = [];
    const file = openTokenFile(join(temporaryFolder('access'), 'tokens.json'), clock.now);
    const warn = (message: string) => warnings.push(message);
    return { file, clock, authenticate: authenticatorOf({ file, clock, warn }), warnings };
  }

  test('a token identifies its caller', async () => {
    const { file, authenticate, warnings } = watched();
    const one = await file.add({ name: 'one', role: 'admin' });
    const two = await file.add({ name: 'two', role: 'read', toolsets: ['dlp'], profile: 'eu' });
    expect(await authenticate(one.token)).toEqual({ caller: { name: 'one', role: 'admin', since: one.entry.created } });
    expect(await authenticate(two.token)).toEqual({
      caller: { name: 'two', role: 'read', toolsets: ['dlp'], profile: 'eu', since: two.entry.created },
    });
    expect(warnings).toEqual([]);
  });

  test.each<[string, (token: string, digest: string) => string]>([
    ['another', (token) => token.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'))],
    ['an empty', () => ''],
    ['a lengthened', (token) => `${token}A`],
    ['a token in capitals', (token) => token.toUpperCase()],
    ['a token with a line feed', (token) => `${token}\n`],
    ['a very long', (token) => token.repeat(20_000)],
    ['the digest itself', (_, digest) => digest],
  ])('%s is unknown', async (_, change) => {
    const { file, authenticate } = watched();
    const { token, entry } = await file.add({ name: 'ci', role: 'admin' });
    expect(await authenticate(change(token, entry.sha256))).toEqual({ problem: 'unknown' });
    expect(await authenticate(token)).toHaveProperty('caller');
  });

  test('a token is refused from the millisecond of its expiry', async () => {
    const { file, clock, authenticate } = watched();
    const { token } = await file.add({ name: 'ci', role: 'read', expires: TEST_TIME + 1000 });
    clock.advance(999);
    expect(await authenticate(token)).toHaveProperty('caller');
    clock.advance(1);
    expect(await authenticate(token)).toEqual({ problem: 'expired' });
    expect(await authenticate(`${token}A`)).toEqual({ problem: 'unknown' });
  });

  const SCAN = 'aisec-runtime-scan';

  test.each<[string, object, readonly [isCaller: boolean, mayScan: boolean]]>([
    ['is unchanged', {}, [true, true]],
    ['has expired', { expires: '2026-11-21T12:00:01Z' }, [false, false]],
    ['belongs to another tenant', { profile: 'eu' }, [false, false]],
    ['is a new token of the same name', { created: '2026-11-21T12:00:00.001Z' }, [false, false]],
    ['may only read', { role: 'read' }, [true, false]],
    ['has other toolsets', { toolsets: ['red-team'] }, [true, false]],
  ])('work of a token that now %s: its caller is known and may scan: %j', async (_, changes, expected) => {
    const catalogue = [catalogueEntry(commandOf(SCAN))];
    const { file, clock, authenticate } = watched();
    const { token } = await file.add({ name: 'ci', role: 'operate' });
    const outcome = await authenticate(token);
    if (!('caller' in outcome)) throw new Error('The token is unknown.');
    const owner = ownerOf(outcome.caller, catalogue);
    const [entry] = await file.list();
    writeFileSync(file.path, JSON.stringify({ tokens: [{ ...entry, ...changes }] }));
    clock.advance(1000);
    const mayScan = currentRights(authenticate, catalogue)(owner, SCAN).then(
      () => true,
      (thrown: unknown) => (thrown instanceof NotAllowedError ? false : thrown),
    );
    expect([(await callerNow(authenticate, outcome.caller)) !== undefined, await mayScan]).toEqual(expected);
  });

  test('a revoked token is refused, and a new one accepted, within a second', async () => {
    const { file, clock, authenticate } = watched();
    const one = await file.add({ name: 'one', role: 'read' });
    expect(await authenticate(one.token)).toHaveProperty('caller');
    await file.revoke('one');
    const two = await file.add({ name: 'two', role: 'read' });
    clock.advance(1000);
    const answers = await Promise.all([one.token, two.token, one.token].map(authenticate));
    expect(answers.map((answer) => 'caller' in answer)).toEqual([false, true, false]);
  });

  test('checks the file twice a second, and reads it if it has changed', async () => {
    const clock = testClock();
    const inner = openTokenFile(join(temporaryFolder('access'), 'tokens.json'), clock.now);
    const { token } = await inner.add({ name: 'ci', role: 'read' });
    const looks: string[] = [];
    const changedSince: TokenFile['changedSince'] = async (stamp) => {
      const found = await inner.changedSince(stamp);
      looks.push(found === undefined ? 'unchanged' : 'read');
      return found;
    };
    const authenticate = authenticatorOf({ file: { changedSince }, clock });
    for (const wait of [0, 250, 249, 1, 499, 1]) {
      clock.advance(wait);
      expect(await authenticate(token)).toHaveProperty('caller');
    }
    expect(looks).toEqual(['read', 'unchanged', 'unchanged']);
    // A wall clock that is set back must not extend the time.
    clock.jump(-86_400_000);
    await inner.revoke('ci');
    clock.advance(500);
    // A file without tokens does not accept an empty-looking token either.
    for (const each of [token, '', 'undefined', 'aisec_']) {
      expect(await authenticate(each)).toEqual({ problem: 'unknown' });
    }
  });

  const swapped = (path: string) => {
    renameSync(path, `${path}.old`);
    symlinkSync(`${path}.old`, path);
  };

  const MAKE = 'aisec serve token NAME --role ROLE';
  const NO_LIST = `must be a JSON object with only the list "tokens". Restore it, or remove it and make new tokens with: ${MAKE}`;

  test.each<[string, (path: string) => void, string]>([
    ['is removed', (path) => rmSync(path), `does not exist. Make a token with: ${MAKE}`],
    ['is emptied', (path) => truncateSync(path), NO_LIST],
    ['is broken', (path) => appendFileSync(path, '}'), NO_LIST],
    ['is swapped for a link', swapped, 'is a symbolic link, which is not followed. Name the file itself.'],
  ])('accepts no token if the file %s, until the file is repaired', async (_, damage, why) => {
    const { file, clock, authenticate, warnings } = watched();
    const { token } = await file.add({ name: 'ci', role: 'read' });
    expect(await authenticate(token)).toHaveProperty('caller');
    damage(file.path);
    for (let look = 0; look < 3; look += 1) {
      clock.advance(1000);
      expect(await authenticate(token)).toEqual({ problem: 'unknown' });
    }
    expect(warnings).toEqual([`No token of the file is accepted. The token file ${file.path} ${why}`]);
    rmSync(file.path, { force: true });
    writeFileSync(file.path, '{"tokens": []}', { mode: 0o600 });
    const again = await file.add({ name: 'again', role: 'read' });
    clock.advance(1000);
    expect(await authenticate(again.token)).toHaveProperty('caller');
    expect(warnings).toHaveLength(1);
  });

  test('requests during a slow check wait for that check, and start no second check', async () => {
    const clock = testClock();
    let looks = 0;
    let finish: (snapshot: TokenSnapshot) => void = () => undefined;
    const changedSince = () => {
      looks += 1;
      return new Promise<TokenSnapshot>((resolve) => (finish = resolve));
    };
    const authenticate = authenticatorOf({ file: { changedSince }, clock });
    const first = authenticate('text');
    clock.advance(5000);
    const second = authenticate('text');
    const sha256 = tokenDigest('text').toString('hex');
    finish({ stamp: '1', entries: [{ name: 'ci', role: 'read', sha256, created: '2026-11-21T12:00:00Z' }] });
    expect(await Promise.all([first, second])).toMatchObject([{ caller: { name: 'ci' } }, { caller: { name: 'ci' } }]);
    expect(looks).toBe(1);
  });

  (existsSync(OPEN_FILES) ? test : test.skip)('looks leave no file open', async () => {
    const { file, clock, authenticate } = watched();
    const { token } = await file.add({ name: 'ci', role: 'read' });
    for (let look = 0; look < 5; look += 1) {
      expect(await authenticate(token)).toHaveProperty('caller');
      clock.advance(1000);
    }
    expect(openPaths()).not.toContain(file.path);
  });

  /** Lists the files that this process has open. */
  function openPaths(): string[] {
    return readdirSync(OPEN_FILES).flatMap((number) => {
      try {
        return [readlinkSync(join(OPEN_FILES, number))];
      } catch {
        // The directory of the list itself was open.
        return [];
      }
    });
  }

  test('the token of one start needs no file, and works with a broken file', async () => {
    const clock = testClock();
    const once = { token: 'text of its own', caller: { name: 'start', role: 'admin' } as const };
    const alone = authenticatorOf({ once, clock });
    expect(await alone('text of its own')).toEqual({ caller: once.caller });
    expect(await alone('text of its ow')).toEqual({ problem: 'unknown' });
    const file = openTokenFile(join(temporaryFolder('access'), 'missing.json'));
    expect(await authenticatorOf({ once, file, clock })('text of its own')).toEqual({ caller: once.caller });
    const warnings: string[] = [];
    expect(await authenticatorOf({ clock, warn: (message) => warnings.push(message) })('')).toEqual({
      problem: 'unknown',
    });
    expect(warnings).toEqual([]);
  });
});
