import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, UsageError } from '../../lib/errors.ts';
import { addToken, listTokens, revokeToken } from '../../lib/hosts/http/access/manage.ts';
import { digestOf, openTokenFile } from '../../lib/hosts/http/access/tokens.ts';
import { tokensPath } from '../../lib/node/user-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TEST_TIME } from '../support/simulated.ts';

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

/** Writes a token file, as somebody with an editor would. */
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

test('a new token is random, and the file has its digest and limits alone', async () => {
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
      sha256: digestOf(token).toString('hex'),
      created: '2026-11-21T12:00:00.000Z',
      expires: '2026-11-22T12:00:00.000Z',
    },
    other.entry,
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

test('revoking removes a token and no other', async () => {
  const file = fileAt(newPath());
  for (const name of ['one', 'two', 'three']) await file.add({ name, role: 'read' });
  expect(await file.revoke('two')).toMatchObject({ name: 'two' });
  expect((await file.list()).map(({ name }) => name)).toEqual(['one', 'three']);
  const failure = await failureOf(file.revoke('tree'));
  expect(failure).toBeInstanceOf(UsageError);
  expect(failure).toMatchObject({ hint: 'Did you mean "three"?' });
});

test('two writers at once lose no token', async () => {
  const path = newPath();
  const names = Array.from({ length: 6 }, (_, index) => `token-${index}`);
  const outcomes = await Promise.allSettled(names.map((name) => fileAt(path).add({ name, role: 'read' })));
  const added = names.filter((_, at) => outcomes[at]?.status === 'fulfilled');
  expect(added.length).toBeGreaterThan(0);
  expect((await fileAt(path).list()).map(({ name }) => name).sort()).toEqual(added);
});

test.each([
  ['a name with a line feed', { name: 'ci\nadmin' }, '1 to 60'],
  ['a name with a slash', { name: 'a/b' }, '1 to 60'],
  ['an empty name', { name: '' }, '1 to 60'],
  ['a long name', { name: 'x'.repeat(61) }, '1 to 60'],
  ['an unknown role', { role: 'Admin' }, 'no role "Admin"'],
  ['a role of the prototype', { role: 'constructor' }, 'no role "constructor"'],
  ['an unknown toolset', { toolsets: ['runtime', '__proto__'] }, 'no toolset "__proto__"'],
  ['no toolset', { toolsets: [] }, 'No toolset'],
  ['a profile with a control character', { profile: 'eu\u0000' }, 'printable'],
  ['an end in the past', { expires: TEST_TIME }, 'in the future'],
  ['an end that is no time', { expires: Number.NaN }, 'in the future'],
  ['an end that has no date', { expires: 1e300 }, 'in the future'],
])('%s is refused, and nothing is written', async (_, request, message) => {
  const path = newPath();
  const failure = await failureOf(fileAt(path).add({ name: 'ci', role: 'read', ...request }));
  expect(failure).toBeInstanceOf(UsageError);
  expect(failure).toMatchObject({ message: expect.stringContaining(message) });
  expect(() => statSync(path)).toThrow('ENOENT');
});

test('a name is given once', async () => {
  const file = fileAt(newPath());
  await file.add({ name: 'ci', role: 'read' });
  expect(await failureOf(file.add({ name: 'ci', role: 'admin' }))).toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('--revoke'),
  });
});

test.each([
  ['is empty', ''],
  ['is cut off', '{"tokens": [{"name"'],
  ['is a list', '[]'],
  ['has no list', '{"tokens": {}}'],
  ['has further members', '{"tokens": [], "role": "admin"}'],
  ['has a token that is none', '{"tokens": [null]}'],
  ['has a misspelt limit', JSON.stringify({ tokens: [entry({ expire: '2026-01-01T00:00:00Z' })] })],
  ['has a key of the prototype', '{"tokens": [{"__proto__": {"role": "admin"}, "name": "x"}]}'],
  ['has an unknown role', JSON.stringify({ tokens: [entry({ role: 'root' })] })],
  ['has an unknown toolset', JSON.stringify({ tokens: [entry({ toolsets: ['everything'] })] })],
  ['has no toolset in a list', JSON.stringify({ tokens: [entry({ toolsets: [] })] })],
  ['has a toolset in a list of its own', JSON.stringify({ tokens: [entry({ toolsets: [['runtime']] })] })],
  ['has a digest that is none', JSON.stringify({ tokens: [entry({ sha256: 'a'.repeat(63) })] })],
  ['has an end that is no date', JSON.stringify({ tokens: [entry({ expires: 'never' })] })],
  ['has an end of no calendar', JSON.stringify({ tokens: [entry({ expires: '2026-13-41T00:00:00Z' })] })],
  ['has one digest for two names', JSON.stringify({ tokens: [entry(), entry({ name: 'two' })] })],
  ['has one name twice', JSON.stringify({ tokens: [entry(), entry({ sha256: 'b'.repeat(64) })] })],
])('a file that %s is refused, without its digests', async (_, text) => {
  const failure = await failureOf(fileAt(written(text)).list());
  expect(failure).toBeInstanceOf(ConfigurationError);
  expect(failure).toMatchObject({ hint: expect.stringMatching(/./) });
  expect(String(failure)).not.toMatch(/aaaa/);
});

test.each([
  ['others can read', () => written('{"tokens": []}', 0o640), 'chmod 600'],
  ['others can change', () => written('{"tokens": []}', 0o602), 'chmod 600'],
  ['is a link', () => linkTo(written('{"tokens": []}')), 'file itself'],
  ['is a directory', () => temporaryFolder('tokens'), 'another path'],
])('a file that %s is refused, and says what to do', async (_, make, hint) => {
  const path = make();
  for (const work of [fileAt(path).list(), fileAt(path).add({ name: 'ci', role: 'admin' })]) {
    const failure = await failureOf(work);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(failure).toMatchObject({ hint: expect.stringContaining(hint) });
  }
});

function linkTo(target: string): string {
  const path = join(temporaryFolder('tokens'), 'link.json');
  symlinkSync(target, path);
  return path;
}

describe('for the person who runs the service', () => {
  const request = () => ({ tokensFile: newPath(), environment: {}, now });

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
    expect(JSON.stringify(added)).not.toContain(digestOf(token).toString('hex'));
    const later = { ...tokens, now: () => TEST_TIME + 90 * DAY };
    expect(await listTokens(later)).toEqual([{ ...added, expired: true }]);
    expect(await revokeToken({ ...tokens, name: 'ci' })).toEqual(added);
    expect(await listTokens(tokens)).toEqual([]);
  });

  test.each(['0d', '-1d', '90', 'd', '1y', '1.5h', '1d1h', '9999999d', '999999w', ''])(
    'the time "%s" is refused',
    async (expiresIn) => {
      const failure = await failureOf(addToken({ ...request(), name: 'ci', role: 'read', expiresIn }));
      expect(failure).toBeInstanceOf(UsageError);
    },
  );

  test('a profile must be a section of the settings file', async () => {
    const configFile = join(temporaryFolder('tokens'), 'settings.yml');
    writeFileSync(configFile, 'profiles:\n  europe:\n    tsg_id: "1"\n  asia: {}\n', { mode: 0o600 });
    const wanted = { ...request(), configFile, name: 'ci', role: 'read' };
    expect(await failureOf(addToken({ ...wanted, profile: 'eurpe' }))).toMatchObject({
      code: 'usage',
      hint: 'Did you mean "europe"? Profiles: europe, asia.',
    });
    expect(await addToken({ ...wanted, profile: 'asia' })).toMatchObject({ entry: { profile: 'asia' } });
  });

  test('without a settings file there is no profile', async () => {
    const environment = { HOME: temporaryFolder('tokens') };
    const wanted = { ...request(), environment, name: 'ci', role: 'read', profile: 'europe' };
    expect(await failureOf(addToken(wanted))).toMatchObject({ code: 'usage' });
  });

  test('the file is beside the settings file by default', async () => {
    const home = temporaryFolder('tokens');
    mkdirSync(join(home, '.config'));
    const environment = { HOME: home };
    expect(tokensPath(environment)).toBe(join(home, '.config', 'aisec', 'tokens.json'));
    const { path } = await addToken({ environment, now, name: 'ci', role: 'read' });
    expect(path).toBe(tokensPath(environment));
    expect(await listTokens({ environment, now })).toHaveLength(1);
  });
});
