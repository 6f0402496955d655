import {
  appendFileSync,
  existsSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../../../lib/core/errors.ts';
import { type Authenticate, authenticatorOf } from '../../../lib/hosts/http/access/authenticate.ts';
import { digestOf, openTokenFile, type TokenFile, type TokenSnapshot } from '../../../lib/hosts/http/access/tokens.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TEST_TIME, type TestClock, testClock } from '../../support/simulated.ts';

/** Lists what this process has open, on systems that have it. */
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
  ['a truncated', (token) => token.slice(0, -1)],
  ['a lengthened', (token) => `${token}A`],
  ['a prefixed', (token) => `aisec_${token}`],
  ['a token in capitals', (token) => token.toUpperCase()],
  ['a token with spaces', (token) => ` ${token}`],
  ['a token with a line feed', (token) => `${token}\n`],
  ['a token with an invisible character', (token) => `${token}\u200b`],
  ['a token in full-width letters', (token) => token.replace('a', '\uff41')],
  ['a half of a pair', () => '\ud800'],
  ['a very long', (token) => token.repeat(20_000)],
  ['the digest itself', (_, digest) => digest],
  ['a name of the prototype', () => '__proto__'],
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
  // A wall clock that is set back must not stretch the time.
  clock.jump(-86_400_000);
  await inner.revoke('ci');
  clock.advance(500);
  expect(await authenticate(token)).toEqual({ problem: 'unknown' });
});

const swapped = (path: string) => {
  renameSync(path, `${path}.old`);
  symlinkSync(`${path}.old`, path);
};

const MAKE = 'aisec serve token NAME --role ROLE';
const NO_LIST = `must be a JSON object with the list "tokens" alone. Restore it, or remove it and make new tokens with: ${MAKE}`;

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

test('a reason without advice is passed on unchanged', async () => {
  const warnings: string[] = [];
  const changedSince = () => Promise.reject(new ConfigurationError('The disk is gone.'));
  const warn = (message: string) => warnings.push(message);
  await authenticatorOf({ file: { changedSince }, clock: testClock(), warn })('x');
  expect(warnings).toEqual(['No token of the file is accepted. The disk is gone.']);
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
  const sha256 = digestOf('text').toString('hex');
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
      // The list itself was open.
      return [];
    }
  });
}

test('accepts no token if the file has none', async () => {
  const { file, authenticate } = watched();
  await file.add({ name: 'ci', role: 'read' });
  await file.revoke('ci');
  for (const token of ['', 'undefined', 'aisec_']) expect(await authenticate(token)).toEqual({ problem: 'unknown' });
});

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
