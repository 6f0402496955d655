import { environmentFolder, type System, userFolder } from '../../../lib/node/system/user-folder.ts';

type Kind = Parameters<typeof userFolder>[0];

const system = (platform: NodeJS.Platform, existing: readonly string[] = []): System => ({
  platform,
  homedir: () => (platform === 'win32' ? 'C:\\Users\\ann' : '/home/ann'),
  exists: (path) => existing.includes(path),
});

const WINDOWS = {
  USERPROFILE: 'C:\\Users\\ann',
  APPDATA: 'D:\\profiles\\ann\\Roaming',
  LOCALAPPDATA: 'C:\\Users\\ann\\AppData\\Local',
};

describe('the folder of the user', () => {
  test.each<{ on: NodeJS.Platform; kind: Kind; environment?: Record<string, string>; is: string; existing?: string[] }>(
    [
      { on: 'linux', kind: 'config', is: '/home/ann/.config/aisec' },
      { on: 'linux', kind: 'state', is: '/home/ann/.local/state/aisec' },
      { on: 'linux', kind: 'cache', environment: { HOME: '/h' }, is: '/h/.cache/aisec' },
      { on: 'linux', kind: 'config', environment: { HOME: '/h', APPDATA: '/a' }, is: '/h/.config/aisec' },
      { on: 'freebsd', kind: 'config', environment: { HOME: '/h' }, is: '/h/.config/aisec' },
      { on: 'darwin', kind: 'config', environment: { HOME: '/h' }, is: '/h/Library/Application Support/aisec' },
      { on: 'darwin', kind: 'state', environment: { HOME: '/h' }, is: '/h/Library/Application Support/aisec' },
      { on: 'darwin', kind: 'cache', environment: { HOME: '/h' }, is: '/h/Library/Caches/aisec' },
      { on: 'darwin', kind: 'config', is: '/home/ann/Library/Application Support/aisec' },
      { on: 'win32', kind: 'config', environment: WINDOWS, is: 'D:\\profiles\\ann\\Roaming\\aisec' },
      { on: 'win32', kind: 'state', environment: WINDOWS, is: 'C:\\Users\\ann\\AppData\\Local\\aisec' },
      { on: 'win32', kind: 'cache', environment: WINDOWS, is: 'C:\\Users\\ann\\AppData\\Local\\aisec' },
      { on: 'win32', kind: 'config', is: 'C:\\Users\\ann\\AppData\\Roaming\\aisec' },
      { on: 'win32', kind: 'config', environment: { APPDATA: 'E:\\a' }, is: 'E:\\a\\aisec' },
      // Variables of the specification count on every system, if they are absolute there.
      { on: 'darwin', kind: 'config', environment: { HOME: '/h', XDG_CONFIG_HOME: '/x' }, is: '/x/aisec' },
      { on: 'win32', kind: 'state', environment: { ...WINDOWS, XDG_STATE_HOME: 'X:\\state' }, is: 'X:\\state\\aisec' },
      { on: 'linux', kind: 'config', environment: { HOME: '/h', XDG_CONFIG_HOME: 'x' }, is: '/h/.config/aisec' },
      // Folders of earlier versions stay in use.
      {
        ...{ on: 'darwin', kind: 'config', environment: { HOME: '/h' }, is: '/h/.config/aisec' },
        existing: ['/h/.config/aisec'],
      },
      {
        ...{ on: 'win32', kind: 'state', environment: WINDOWS, is: 'C:\\Users\\ann\\.local\\state\\aisec' },
        existing: ['C:\\Users\\ann\\.local\\state\\aisec'],
      },
      {
        ...{ on: 'darwin', kind: 'cache', environment: { HOME: '/h' }, is: '/h/Library/Caches/aisec' },
        existing: ['/h/.cache/aisec'],
      },
    ],
  )('on $on for $kind is $is', ({ on, kind, environment = {}, is, existing }) => {
    expect(userFolder(kind, environment, system(on, existing))).toBe(is);
  });

  test.each<{ on: NodeJS.Platform; environment: Record<string, string>; is: string | undefined }>([
    { on: 'linux', environment: {}, is: undefined },
    { on: 'win32', environment: {}, is: undefined },
    { on: 'darwin', environment: { HOME: '' }, is: undefined },
    { on: 'win32', environment: { USERPROFILE: 'C:\\u' }, is: 'C:\\u\\AppData\\Roaming\\aisec' },
  ])('is $is on $on with only the environment $environment', ({ on, environment, is }) => {
    expect(environmentFolder('config', environment, system(on))).toBe(is);
  });
});
