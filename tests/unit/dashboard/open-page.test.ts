import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { withPageFile } from '../../../lib/features/scans/open-page.ts';
import { openerOf } from '../../../lib/hosts/terminal/result/open-in-browser.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../report/support.ts';

describe('the program that opens a page', () => {
  test.each([
    { platform: 'darwin' as const, environment: {}, opener: ['open'] },
    { platform: 'win32' as const, environment: {}, opener: ['rundll32.exe', 'url.dll,FileProtocolHandler'] },
    { platform: 'linux' as const, environment: { DISPLAY: ':0' }, opener: ['xdg-open'] },
    { platform: 'linux' as const, environment: { WAYLAND_DISPLAY: 'wayland-0' }, opener: ['xdg-open'] },
    { platform: 'linux' as const, environment: { DISPLAY: '' }, opener: undefined },
    { platform: 'linux' as const, environment: {}, opener: undefined },
  ])('is $opener on $platform with $environment', ({ platform, environment, opener }) => {
    expect(openerOf(platform, environment)).toEqual(opener);
  });
});

/** Only this process's folders, because another page may have been left in the temporary folder. */
const NAME = `${process.pid}-x.html`;

describe('the file of a page', () => {
  const fileOf = (asked: Parameters<typeof withPageFile>[0]) => withPageFile(asked, NAME, async (file) => file);

  test.each([
    { what: 'the named one', asked: { html: 'a.html', open: true, dryRun: false }, expected: /^a\.html$/ },
    {
      what: 'a new file if only --open is given',
      asked: { open: true, dryRun: false },
      expected: /aisec-page-.*x\.html$/,
    },
  ])('is $what', async ({ asked, expected }) => {
    expect(await fileOf(asked)).toMatch(expected);
  });

  test('does not exist without both options', async () => {
    expect(await fileOf({ dryRun: false })).toBeUndefined();
  });

  test('is not created in a dry run', async () => {
    const file = (await fileOf({ open: true, dryRun: true })) ?? '';
    expect([isAbsolute(file), existsSync(file)]).toEqual([true, false]);
    expect(file).not.toContain('aisec-page-');
  });

  test('is in a folder that only the user can read, and that is removed if there is no page', async () => {
    const asked = { open: true, dryRun: false };
    const modes: number[] = [];
    const folder = await withPageFile(asked, 'x.html', async (file = '') => {
      modes.push(statSync(dirname(file)).mode & 0o777);
      return dirname(file);
    });
    expect([modes, existsSync(folder)]).toEqual([[0o700], false]);
    const kept = await withPageFile(asked, 'x.html', async (file = '') => {
      writeFileSync(file, 'page');
      return file;
    });
    expect(existsSync(kept)).toBe(true);
    rmSync(dirname(kept), { recursive: true });
  });
});

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('aisec dashboard --open', () => {
  /** A folder with a program that records its argument and one secret, instead of the browser. */
  const machine = (code: number) => {
    const folder = temporaryFolder('open');
    const noted = join(folder, 'noted');
    const opener = join(folder, 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\nprintf '%s %s' "$1" "$AISEC_CLIENT_SECRET" > "${noted}"\nexit ${code}\n`);
    chmodSync(opener, 0o755);
    const environment = {
      ...{ PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0', AISEC_CLIENT_SECRET: 'geheim-1234567' },
    };
    return { environment, read: () => readFileSync(noted, 'utf8'), file: join(folder, '-x.html') };
  };

  test('opens the page by its full path, and passes no secret to the browser', async () => {
    const { environment, read, file } = machine(0);
    const { code, stderr } = await run(['dashboard', '--open', '--html', file], { environment });
    expect(code).toBe(0);
    expect(read()).toBe(`${file} `);
    expect(stderr).not.toContain('no browser');
  });

  test.each([
    { what: 'the opener fails', environment: machine(3).environment },
    { what: 'there is no opener', environment: { PATH: '/nowhere', DISPLAY: ':0' } },
    { what: 'there is no display', environment: { PATH: '/usr/bin:/bin' } },
  ])('says where the page is if $what', async ({ environment }) => {
    const file = join(temporaryFolder('open'), 'd.html');
    const { code, stderr } = await run(['dashboard', '--open', '--html', file], { environment });
    expect(code).toBe(0);
    expect(stderr).toContain(`no browser could be opened; the page is in ${file}`);
    expect(existsSync(file)).toBe(true);
  });

  test('opens nothing in a dry run', async () => {
    const { environment, read } = machine(0);
    await run(['dashboard', '--open', '--dry-run'], { environment });
    expect(read).toThrow(/ENOENT/);
  });
});
