import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, UsageError } from '../../../lib/core/errors.ts';
import { digestOf, type NewToken, openTokenFile } from '../../../lib/hosts/http/access/tokens.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TEST_TIME } from '../../support/simulated.ts';

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
      sha256: digestOf(token).toString('hex'),
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
  'The name of a token has 1 to 60 letters, digits, "_", "." or "-".',
  'Name the program or the person that uses it, such as ci-scan.',
] as const;
const PROFILE = [
  'The name of a profile has 1 to 100 printable characters.',
  'Name a section of the settings file.',
] as const;
const END = ['The token must expire in the future, and before the year 10000.', undefined] as const;
const ROLES = 'Roles: read, operate, admin.';
const TOOLSETS = 'Toolsets: runtime, dlp, red-team, model-security, all.';
const LAST_YEAR = Date.UTC(10_000, 0, 1);

test.each<[string, Partial<NewToken>, readonly [message: string, hint: string | undefined]]>([
  ['a name with a line feed', { name: 'ci\nadmin' }, NAME],
  ['a name with a slash', { name: 'a/b' }, NAME],
  ['an empty name', { name: '' }, NAME],
  ['a long name', { name: 'x'.repeat(61) }, NAME],
  ['a role in capitals', { role: 'Admin' }, ['There is no role "Admin".', `Did you mean "admin"? ${ROLES}`]],
  ['a role of the prototype', { role: 'constructor' }, ['There is no role "constructor".', ROLES]],
  ['a long role', { role: 'x'.repeat(61) }, [`There is no role "${'x'.repeat(60)}".`, ROLES]],
  [
    'an unknown toolset',
    { toolsets: ['runtime', '__proto__'] },
    ['There is no toolset "__proto__".', `${TOOLSETS} List the commands with: aisec commands`],
  ],
  ['no toolset', { toolsets: [] }, ['No toolset is named.', TOOLSETS]],
  ['a profile that ends in a control character', { profile: 'eu\u0000' }, PROFILE],
  ['a profile that begins with a control character', { profile: '\u0000eu' }, PROFILE],
  ['a profile without a name', { profile: '' }, PROFILE],
  ['a long profile', { profile: 'x'.repeat(101) }, PROFILE],
  ['an end in the past', { expires: TEST_TIME }, END],
  ['an end that is not a time', { expires: Number.NaN }, END],
  ['an end that has no date', { expires: 1e300 }, END],
  ['an end with a year of five digits', { expires: LAST_YEAR }, END],
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
    message: 'There is a token "ci" already.',
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
const ALONE = 'must be a JSON object with the list "tokens" alone';
const MEMBERS = 'its members are name, sha256, role, toolsets, profile, created, expires';
const DIGEST = 'sha256 must be 64 hexadecimal digits in lower case';
const LIST = 'toolsets must be a list of runtime, dlp, red-team, model-security, all';
const dateOf = (member: string) => `${member} must be a date and time in UTC, such as 2026-01-31T12:00:00Z`;

test.each<[string, string, string]>([
  ['is empty', '', ALONE],
  ['is cut off', '{"tokens": [{"name"', ALONE],
  ['is a list', '[]', ALONE],
  ['is null', 'null', ALONE],
  ['has no list', '{"tokens": {}}', ALONE],
  ['has further members', '{"tokens": [], "role": "admin"}', ALONE],
  ['has one digest for two names', file(entry(), entry({ name: 'two' })), 'has two tokens with the same sha256'],
  ['has one name twice', file(entry(), entry({ sha256: 'b'.repeat(64) })), 'has two tokens with the same name'],
  ['is larger than 10 MB', file().padEnd(10_000_001), 'is larger than 10 MB'],
  ...(
    [
      ['a token that is none', null, 'it is not an object'],
      ['a misspelt limit', entry({ expire: '2026-01-01T00:00:00Z' }), MEMBERS],
      ['a key of the prototype', JSON.parse('{"__proto__": {"role": "admin"}, "name": "x"}'), MEMBERS],
      ['a name that is a number', entry({ name: 123 }), 'name must be 1 to 60 letters, digits, "_", "." or "-"'],
      ['an unknown role', entry({ role: 'root' }), 'role must be one of read, operate, admin'],
      ['an unknown toolset', entry({ toolsets: ['everything'] }), LIST],
      ['an unknown toolset behind a known toolset', entry({ toolsets: ['dlp', 'everything'] }), LIST],
      ['no toolset in a list', entry({ toolsets: [] }), LIST],
      ['a toolset in a list of its own', entry({ toolsets: [['runtime']] }), LIST],
      ['a profile without a name', entry({ profile: '' }), 'profile must be 1 to 100 printable characters'],
      ['a short digest', entry({ sha256: 'a'.repeat(63) }), DIGEST],
      ['a digest with a letter before it', entry({ sha256: `x${'a'.repeat(64)}` }), DIGEST],
      ['a digest with a letter behind it', entry({ sha256: `${'a'.repeat(64)}x` }), DIGEST],
      ['a creation that is not a date', entry({ created: '2026-11-21' }), dateOf('created')],
      ['an end that is not a date', entry({ expires: 'never' }), dateOf('expires')],
      ['an end of no calendar', entry({ expires: '2026-13-41T00:00:00Z' }), dateOf('expires')],
      ['an end with a year of six digits', entry({ expires: '+002026-01-01T00:00:00Z' }), dateOf('expires')],
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
  ['others can change', () => written('{"tokens": []}', 0o602), 'can be read or changed by other users.', 'chmod 600'],
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
