/** Tokens for the person who runs the service: as the terminal adds, lists and revokes them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addToken, listTokens, revokeToken } from '../../../lib/hosts/http/access/manage.ts';
import { digestOf } from '../../../lib/hosts/http/access/tokens.ts';
import { tokensPath } from '../../../lib/node/user-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TEST_TIME } from '../../support/simulated.ts';

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
  expect(JSON.stringify(added)).not.toContain(digestOf(token).toString('hex'));
  const later = { ...tokens, now: () => TEST_TIME + 90 * DAY };
  expect(await listTokens(later)).toEqual([{ ...added, expired: true }]);
  expect(await revokeToken({ ...tokens, name: 'ci' })).toEqual(added);
  expect(await listTokens(tokens)).toEqual([]);
});

test('a token of a dry run is shown, and not saved', async () => {
  const tokens = request();
  const { entry } = await addToken({ ...tokens, name: 'ci', role: 'read', dryRun: true });
  expect(entry).toEqual({ name: 'ci', role: 'read', created: '2026-11-21T12:00:00.000Z', expired: false });
  expect(await listTokens(tokens)).toEqual([]);
  await addToken({ ...tokens, name: 'ci', role: 'read' });
  expect(await revokeToken({ ...tokens, name: 'ci', dryRun: true })).toEqual(entry);
  expect(await listTokens(tokens)).toEqual([entry]);
});

test.each([
  ['1m', '2026-11-21T12:01:00.000Z'],
  [' 12h ', '2026-11-22T00:00:00.000Z'],
  ['4w', '2026-12-19T12:00:00.000Z'],
])('a token for "%s" expires at %s', async (expiresIn, expires) => {
  const { entry } = await addToken({ ...request(), name: 'ci', role: 'read', expiresIn });
  expect(entry).toMatchObject({ expires, expired: false });
});

test.each(['0d', '-1d', '90', 'd', '1y', '1.5h', '1d1h', '9999999d', '', `${'9'.repeat(70)}d`])(
  'the time "%s" is refused',
  async (expiresIn) => {
    await expect(addToken({ ...request(), name: 'ci', role: 'read', expiresIn })).rejects.toMatchObject({
      code: 'usage',
      message: `"${expiresIn.slice(0, 60)}" is not a time in which a token expires.`,
      hint: 'Write minutes, hours, days or weeks, such as 30m, 12h, 90d or 4w.',
    });
  },
);

test('a time beyond the year 9999 is refused', async () => {
  await expect(addToken({ ...request(), name: 'ci', role: 'read', expiresIn: '999999w' })).rejects.toMatchObject({
    code: 'usage',
    message: 'The token must expire in the future, and before the year 10000.',
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
});

test('a profile may be any section of the settings file', async () => {
  const configFile = settingsOf('europe', 'asia');
  const added = await addToken({ ...request(), configFile, name: 'ci', role: 'read', profile: 'asia' });
  expect(added).toMatchObject({ entry: { profile: 'asia' } });
});

test('every profile is refused without a settings file', async () => {
  const environment = { HOME: temporaryFolder('tokens') };
  const wanted = { ...request(), environment, name: 'ci', role: 'read', profile: 'europe' };
  await expect(addToken(wanted)).rejects.toMatchObject({
    code: 'usage',
    message: 'There is no profile "europe".',
    hint: 'The settings file has no profiles.',
  });
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
