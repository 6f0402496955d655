import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { ConfigurationError } from '../../../lib/core/errors.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../../../lib/core/parameters.ts';
import { readSettingsFile } from '../../../lib/node/settings/file.ts';
import { writeSection } from '../../../lib/node/settings/file-update.ts';
import type { SettingsFileRequest } from '../../../lib/node/settings/location.ts';
import { hostOf, isLoopback, parseAddress, writeAddress } from '../../../lib/runtime/settings/address.ts';
import { plainSettings, resolveSettings, type SettingInputs } from '../../../lib/runtime/settings/settings.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { shareOf } from '../../support/runs.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const CANARY = 'canary-5ecret';

function problemOf(run: () => unknown): ConfigurationError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown;
    throw thrown;
  }
  throw new Error('expected a configuration error');
}

function resolve(name: SettingName, value: string) {
  return resolveSettings({ environment: { [SETTINGS[name].environment]: value } }).settings[name];
}

describe('settings', () => {
  test('without any input are the defaults, and settings without a default are omitted', () => {
    const { settings, sources } = resolveSettings({ environment: {} });
    expect(settings).toEqual({
      scanner_base_url: SETTINGS.scanner_base_url.default,
      dlp_base_url: SETTINGS.dlp_base_url.default,
      token_url: SETTINGS.token_url.default,
      insecure: false,
      proxy: false,
    });
    expect(sources).toEqual({
      scanner_base_url: 'default',
      dlp_base_url: 'default',
      token_url: 'default',
      insecure: 'default',
      proxy: 'default',
    });
  });

  const precedence: (SettingInputs & { name: string; value: string; source: string })[] = [
    {
      name: 'a flag comes first',
      flags: { tsg_id: '1' },
      environment: { AISEC_TSG_ID: '2' },
      file: { tsg_id: '3' },
      value: '1',
      source: 'flag',
    },
    {
      name: 'then the environment',
      environment: { AISEC_TSG_ID: '2' },
      file: { tsg_id: '3' },
      value: '2',
      source: 'environment',
    },
    { name: 'then the file', environment: {}, file: { tsg_id: '3' }, value: '3', source: 'file' },
    {
      name: 'empty text is not given',
      flags: { tsg_id: '' },
      environment: { AISEC_TSG_ID: '  ' },
      file: { tsg_id: '3' },
      value: '3',
      source: 'file',
    },
  ];
  test.each(['url', 'client_id', 'client_secret', 'tsg_id', 'runtime_api_key'] as const)(
    'a lone dash for %s counts as omitted, so that a form with required fields can be submitted',
    (name) => {
      const { settings, sources } = resolveSettings({ environment: {}, file: { [name]: ' - ' } });
      expect([settings[name], sources[name]]).toEqual([undefined, undefined]);
    },
  );

  test('a lone dash hides neither a value of lower precedence nor a default', () => {
    const environment = { AISEC_TSG_ID: '-', AISEC_SCANNER_BASE_URL: '-' };
    const { settings, sources } = resolveSettings({ environment, file: { tsg_id: '3' } });
    expect([settings.tsg_id, sources.scanner_base_url]).toEqual(['3', 'default']);
  });

  test('dashes in a credential of the platform count as omitted, and a dash inside a value is kept', () => {
    const read = (credentials: object) =>
      resolveSettings({ environment: {}, file: plainSettings({ credentials }) }).settings;
    expect(read({ identifier: '-', password: '-' })).not.toHaveProperty('client_id');
    expect(read({ identifier: '-', password: '-' })).not.toHaveProperty('client_secret');
    expect(read({ identifier: 'a-b', password: '--' })).toMatchObject({ client_id: 'a-b', client_secret: '--' });
  });

  test.each(precedence)('$name', ({ value, source, ...inputs }) => {
    const { settings, sources } = resolveSettings(inputs);
    expect(settings.tsg_id).toBe(value);
    expect(sources.tsg_id).toBe(source);
  });

  test.each([
    ['true', true],
    ['TRUE', true],
    ['Yes', true],
    ['false', false],
    ['No', false],
    ['', false],
  ])('the flag "%s" is %s', (text, value) => {
    expect(resolve('insecure', text)).toBe(value);
  });

  test.each(['1', '0', 'on', 'maybe', 'y'])('the flag "%s" is refused', (text) => {
    expect(problemOf(() => resolve('proxy', text)).message).toContain('AISEC_PROXY');
  });

  test.each(['0012', '9007199254740993123'])('the digits %s are kept', (text) => {
    expect(resolve('tsg_id', text)).toBe(text);
  });

  test('white space around a value is removed', () => {
    expect(resolve('runtime_api_key', ' key\n')).toBe('key');
  });

  test('all problems are reported together, by display name and environment name, without a value', () => {
    const error = problemOf(() =>
      resolveSettings({
        environment: { AISEC_BASE_URL: `ftp://${CANARY}`, AISEC_TSG_ID: CANARY },
        file: { client_secret: `${CANARY}\n${CANARY}`, proxy: CANARY },
      }),
    );
    for (const name of ['url', 'tsg_id', 'client_secret', 'proxy'] as const) {
      expect(error.message).toContain(`"${SETTINGS[name].display}" (${SETTINGS[name].environment})`);
    }
    expect(error.exitCode).toBe(3);
    expect(inspect(error)).not.toContain(CANARY);
  });

  test('parameters of the platform are read unchanged', () => {
    const plain = plainSettings({
      url: 'https://a.test',
      credentials: { identifier: 'id', password: 's' },
      runtime_api_key: { identifier: '', password: 'k' },
    });
    expect(plain).toEqual({ url: 'https://a.test', client_id: 'id', client_secret: 's', runtime_api_key: 'k' });
    expect(plainSettings({ runtime_api_key: 'k', credentials: undefined })).toEqual({ runtime_api_key: 'k' });
  });
});

describe('an address setting', () => {
  test.each([
    ['https://a.test', 'https://a.test'],
    ['https://a.test/', 'https://a.test'],
    ['HTTPS://A.Test:8443/Path//', 'https://a.test:8443/Path'],
    ['https://a.test/x/../y', 'https://a.test/x/../y'],
    ['https://[2001:db8::1]:1/', 'https://[2001:db8::1]:1'],
  ])('%s is normalized to %s', (given, taken) => {
    expect(resolve('url', given)).toBe(taken);
  });

  scenario.each([
    { text: 'http://127.0.0.1:8080' },
    { text: 'http://127.255.3.4' },
    { text: 'http://LocalHost:1' },
    { text: 'http://[::1]:8080' },
  ])('http-scheme', 'may be plain http on this machine: $text', ({ text }) => {
    expect(resolve('url', text)).toBe(text.toLowerCase());
  });

  const addresses = SETTING_NAMES.filter((name) => SETTINGS[name].kind === 'address');
  const elsewhere = [
    'http://a.test',
    'http://127.0.0.1.a.test',
    'http://localhost.a.test',
    'http://127.0.0.256',
    'http://127.1',
    'http://0.0.0.0',
    'http://[::2]',
    'http://10.0.0.1',
  ];
  scenario.each(addresses.flatMap((name) => elsewhere.map((text) => ({ name, text }))))(
    'http-scheme',
    'must not be plain http to another machine: $name $text',
    ({ name, text }) => {
      const error = problemOf(() => resolve(name, text));
      expect(error.message).toContain('plain http:// is for a loopback address only');
      expect(error.message).toContain(SETTINGS[name].environment);
    },
  );

  scenario.each([
    { text: `https://user:${CANARY}@a.test/` },
    { text: `https://${CANARY}@a.test` },
    { text: `http://${CANARY}:@127.0.0.1` },
    { text: `https://:${CANARY}@a.test:1/x` },
  ])('url-userinfo', 'must not contain credentials, which the error does not repeat: $text', ({ text }) => {
    const error = problemOf(() => resolve('url', text));
    expect(error.message).toContain('must not contain credentials');
    expect(error.message).toContain('"Server URL" (AISEC_BASE_URL)');
    expect(inspect(error)).not.toContain(CANARY);
  });

  test.each([
    ['a.test', 'absolute'],
    ['ftp://a.test', 'absolute'],
    ['https://', 'host'],
    ['https://a.test:0', 'host'],
    ['https://a.test:65536', 'host'],
    ['https://a..test', 'host'],
    ['https://a.test/?x=1', 'query'],
    ['https://a.test/#x', 'fragment'],
    ['https://a.test\\@b.test', 'backslash'],
    ['https://a.te\tst', 'space'],
    ['https://a.test/x y', 'space'],
    ['https://ä.test', 'ASCII'],
  ])('%s is refused', (text, words) => {
    expect(problemOf(() => resolve('url', text)).message).toContain(words);
  });

  test('is parsed as every other parser would parse it', () => {
    const parts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      'a.test',
      'u',
      '.',
      ':',
      '80',
      '@',
      '\\',
      '%2e',
      '0x7f',
      '/',
      ' ',
    ];
    const authority = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 }).map((list) => list.join(''));
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), authority, fc.webPath(), (scheme, host, path) => {
        const address = parseAddress(`${scheme}://${host}${path}`);
        if ('problem' in address) return;
        const written = writeAddress(address);
        if (!URL.canParse(written)) return;
        const url = new URL(written);
        expect([url.username, url.password, url.search, url.hash]).toEqual(['', '', '', '']);
        if (isLoopback(address.host)) expect(url.hostname).toMatch(/^(localhost|\[::1\]|127\.)/);
      }),
      { numRuns: shareOf(2000) },
    );
  });

  test.each([
    ['https://user:secret@A.test:1/x?y', 'a.test:1'],
    ['https://a.test', 'a.test'],
    ['nonsense', 'the service'],
  ])('%s is named %s in messages', (url, name) => {
    expect(hostOf(url)).toBe(name);
  });
});

describe('a section that is written', () => {
  let path = '';

  beforeEach(() => {
    path = join(temporaryFolder('settings'), 'settings.yml');
  });

  const values = { url: 'https://new.test', tsg_id: '0012' };
  const read = async (profile: string) => (await readSettingsFile({ path, profile, environment: {} }))?.values;

  test('keeps comments, other sections and unset values', async () => {
    const text =
      '# top\nproxy: true\nprofiles:\n  # one\n  one:\n    url: https://one.test # mine\n    insecure: yes\n  two: {tsg_id: 007}\n';
    await writeFile(path, text);
    await writeSection(path, 'one', values);
    const written = await readFile(path, 'utf8');
    for (const kept of ['# top', 'proxy: true', '# one', '# mine', '007']) expect(written).toContain(kept);
    expect(await read('one')).toEqual({ proxy: 'true', insecure: 'yes', ...values });
    expect(await read('two')).toEqual({ proxy: 'true', tsg_id: '007' });
  });

  test.each([
    { title: 'an empty file', text: '' },
    { title: 'sections without a value', text: 'profiles:\n' },
    { title: 'a byte order mark', text: '\ufeffprofiles: {}\n' },
  ])('begins with $title', async ({ text }) => {
    await writeFile(path, text);
    await writeSection(path, 'one', values);
    expect(await read('one')).toEqual(values);
  });

  test('JSON stays JSON', async () => {
    await writeFile(path, '{\n  "proxy": "true",\n  "profiles": { "two": { "tsg_id": "2" } }\n}\n');
    await writeSection(path, 'one', values);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      proxy: 'true',
      profiles: { two: { tsg_id: '2' }, one: values },
    });
  });

  test('values that YAML would read as other types are kept', async () => {
    const odd = { client_id: 'null', client_secret: '"\\x: #&*', runtime_api_key: '~' };
    await writeSection(path, 'one', odd);
    expect(await read('one')).toEqual(odd);
  });

  test('replaces credentials in their nested form', async () => {
    await writeFile(path, 'profiles:\n  one:\n    credentials: {identifier: a, password: b}\n');
    await writeSection(path, 'one', { client_id: 'c', client_secret: 'd' });
    expect(await read('one')).toEqual({ client_id: 'c', client_secret: 'd' });
  });

  test('becomes private, even if others could read the file', async () => {
    await writeFile(path, 'profiles: {}\n');
    await chmod(path, 0o664);
    await writeSection(path, 'one', values);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('is written to the target of a symbolic link, which is kept; the target is private', async () => {
    const target = `${path}.target`;
    await writeFile(target, '# shared\n');
    await chmod(target, 0o644);
    await symlink(target, path);
    await writeSection(path, 'one', values);
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect((await stat(target)).mode & 0o777).toBe(0o600);
    expect(await readFile(target, 'utf8')).toContain('# shared');
  });

  test.each([
    { title: 'invalid YAML', text: 'url: [canary-5ecret\n' },
    { title: 'an unknown setting', text: 'profiles:\n  two: {urll: canary-5ecret}\n' },
    { title: 'two sections that share values', text: 'profiles:\n  one: &a {tsg_id: "1"}\n  two: *a\n' },
    { title: 'an invalid production mark', text: 'profiles:\n  two: {production: canary-5ecret}\n' },
  ])('$title is refused, and the file is not changed', async ({ text }) => {
    await writeFile(path, text);
    const outcome: unknown = await writeSection(path, 'one', values).catch((thrown: unknown) => thrown);
    expect(outcome).toBeInstanceOf(ConfigurationError);
    expect(inspect(outcome)).not.toContain(CANARY);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('a directory, a link loop and an unreadable file are refused', async () => {
    await mkdir(path);
    await expect(writeSection(path, 'one', values)).rejects.toThrow(ConfigurationError);
    const loop = `${path}.loop`;
    await symlink(loop, loop);
    await expect(writeSection(loop, 'one', values)).rejects.toThrow(ConfigurationError);
    // No user can read a path below a file, not even root.
    const file = `${path}.file`;
    await writeFile(file, '');
    await expect(writeSection(join(file, 'settings.yml'), 'one', values)).rejects.toThrow(ConfigurationError);
  });

  test('is chosen by --profile, then by AISEC_PROFILE, then by the name default', async () => {
    await writeFile(path, 'tsg_id: 1\nprofiles:\n  default: {tsg_id: 2}\n  live: {tsg_id: 3, production: true}\n');
    const chosen = (profile: string | undefined, environment = {}) => readSettingsFile({ path, profile, environment });
    expect(await chosen(undefined)).toMatchObject({ profile: 'default', isNamed: false, values: { tsg_id: '2' } });
    expect(await chosen(undefined, { AISEC_PROFILE: 'live' })).toMatchObject({ profile: 'live', production: true });
    expect(await chosen('default', { AISEC_PROFILE: 'live' })).toMatchObject({ profile: 'default', isNamed: true });
    await expect(chosen(undefined, { AISEC_PROFILE: 'lve' })).rejects.toThrow('no profile "lve"');
  });
});

describe('the settings file', () => {
  let home = '';

  beforeEach(() => {
    home = temporaryFolder('settings');
  });

  async function write(text: string, name = 'given.yml', mode = 0o600): Promise<string> {
    const path = join(home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await chmod(path, mode);
    return path;
  }

  async function refusal(request: Omit<SettingsFileRequest, 'environment'>): Promise<ConfigurationError> {
    const outcome: unknown = await readSettingsFile({ environment: {}, ...request }).catch((thrown: unknown) => thrown);
    if (outcome instanceof ConfigurationError) return outcome;
    throw new Error(`expected a configuration error, got ${inspect(outcome)}`);
  }

  test.each([
    ['YAML', 'url: https://a.test\ntsg_id: 0012\ninsecure: yes\nproxy:\ntoken_url: ~\ndlp_base_url: null\n'],
    ['JSON', '{\n\t"url": "https://a.test",\n\t"tsg_id": "0012",\n\t"insecure": "yes",\n\t"proxy": null\n}'],
  ])('is %s, and keeps every value as written', async (_, text) => {
    const file = await readSettingsFile({ path: await write(`\ufeff${text}`), environment: {} });
    expect(file?.values).toEqual({ url: 'https://a.test', tsg_id: '0012', insecure: 'yes' });
    expectNone(file?.warnings, 'warnings');
  });

  test("accepts credentials in the platform's format", async () => {
    const path = await write('credentials:\n  identifier: id\n  password: 12e3\nruntime_api_key: {password: k}\n');
    const file = await readSettingsFile({ path, environment: {} });
    expect(file?.values).toEqual({ client_id: 'id', client_secret: '12e3', runtime_api_key: 'k' });
  });

  test('has sections that override the top level', async () => {
    const text = 'url: https://a.test\nclient_id: top\nprofiles:\n  one: {client_id: "1", url: }\n  two:\n';
    const path = await write(text);
    const read = async (profile?: string) => (await readSettingsFile({ path, profile, environment: {} }))?.values;
    expect(await read()).toEqual({ url: 'https://a.test', client_id: 'top' });
    expect(await read('one')).toEqual({ url: 'https://a.test', client_id: '1' });
    expect(await read('two')).toEqual({ url: 'https://a.test', client_id: 'top' });
    const error = await refusal({ path, profile: 'onne' });
    expect(error.message).toContain('"onne"');
    expect(error.hint).toBe('Did you mean "one"? It has: one, two.');
  });

  test('is found in its default place, and is optional', async () => {
    const inHome = await readSettingsFile({ environment: { HOME: home } });
    expect(inHome).toBeUndefined();
    await write('tsg_id: 1', '.config/aisec/settings.yml');
    expect((await readSettingsFile({ environment: { HOME: home } }))?.values).toEqual({ tsg_id: '1' });
    const path = await write('tsg_id: 2', 'xdg/aisec/settings.yml');
    const environment = { HOME: home, XDG_CONFIG_HOME: join(home, 'xdg') };
    expect(await readSettingsFile({ environment })).toEqual({
      path,
      values: { tsg_id: '2' },
      isNamed: false,
      production: false,
      warnings: [],
    });
    expect(await readSettingsFile({ environment: {} })).toBeUndefined();
  });

  test('must exist if it or a profile is named', async () => {
    const path = join(home, 'absent.yml');
    expect((await refusal({ path })).message).toBe(`The settings file ${path} does not exist.`);
    expect((await refusal({ path: home })).message).toContain('is a directory');
    expect((await refusal({ profile: 'one' })).message).toContain('"one"');
  });

  scenario.each([
    { mode: 0o600, warned: undefined },
    { mode: 0o400, warned: undefined },
    { mode: 0o700, warned: undefined },
    { mode: 0o640, warned: 'read' },
    { mode: 0o604, warned: 'read' },
    { mode: 0o644, warned: 'read' },
    { mode: 0o620, warned: 'changed' },
    { mode: 0o602, warned: 'changed' },
    { mode: 0o660, warned: 'read and changed' },
    { mode: 0o642, warned: 'read and changed' },
  ])('secret-settings', 'of mode $mode warns: $warned', async ({ mode, warned }) => {
    const path = await write(`client_secret: ${CANARY}`, 'given.yml', mode);
    const file = await readSettingsFile({ path, environment: {} });
    expect(file?.warnings).toEqual(
      warned === undefined ? [] : [expect.stringContaining(`${path} can be ${warned} by other users`)],
    );
    expect(file?.warnings.join()).not.toContain(CANARY);
    expect(file?.values).toEqual({ client_secret: CANARY });
  });

  test('names an unknown setting and the nearest known setting', async () => {
    const top = await refusal({ path: await write('tsgid: 1\nclient_secrt: x') });
    expect(top.message).toContain('the top level: tsgid, client_secrt.');
    expect(top.hint).toContain('Did you mean "tsg_id"? Did you mean "client_secret"?');
    const section = await refusal({ path: await write('profiles: {one: {__proto__: {a: 1}}}') });
    expect(section.message).toContain('profile "one": __proto__.');
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  test.each([
    ['an unterminated quote', `url: a\nclient_secret: "${CANARY}`, 'line 2, column 30'],
    [
      'a duplicate name',
      `client_secret: ${CANARY}\nclient_secret: ${CANARY}`,
      'line 2, column 1: a name is given twice',
    ],
    ['a tab', `\tclient_secret: ${CANARY}`, 'line 1, column 1: a tab'],
    ['two documents', `client_secret: ${CANARY}\n---\nurl: a`, 'line 2'],
    ['no names', CANARY, 'must contain names and values'],
    ['a list', `- ${CANARY}`, 'must contain names and values'],
    ['a lost reference', `client_secret: *${CANARY}`, 'must contain names and values'],
    ['a value with parts', `client_secret: [${CANARY}]`, 'single value for client_secret'],
    ['a profile without names', `profiles: {one: ${CANARY}}`, 'profile "one" must contain names and values'],
    ['profiles without names', `profiles: [${CANARY}]`, '"profiles" must contain one section'],
    ['more than 1 MB', `# ${'x'.repeat(1_000_000)}`, 'larger than 1 MB'],
  ])('with %s is refused with its position, without its text', async (_, text, words) => {
    const error = await refusal({ path: await write(text) });
    expect(error.message).toContain(words);
    expect(inspect(error)).not.toContain(CANARY);
  });
});
