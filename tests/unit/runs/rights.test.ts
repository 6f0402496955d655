/** The commands an owner may use, derived from the allowed commands. */
import { registry } from '../../../commands/index.ts';
import type { Allow } from '../../../lib/client/allow.ts';
import { NotAllowedError } from '../../../lib/core/errors.ts';
import { type CommandEntry, catalogueEntry } from '../../../lib/manifest/command-catalogue.ts';
import { newRun, type RunRequest, requestedCommands } from '../../../lib/runs/port.ts';
import { checkRights, permits, refusedIn } from '../../../lib/runs/rights.ts';
import { type Command, findCommand } from '../../../lib/runtime/engine/command.ts';
import { OWNER, WORK } from './suite.ts';

const [LIST, CREATE, SCAN] = [
  'aisec-runtime-topics-list',
  'aisec-runtime-topics-create',
  'aisec-runtime-scan',
] as const;
let catalogue: readonly CommandEntry[] = [];

beforeAll(async () => {
  const commands = await Promise.all([LIST, CREATE, SCAN].map(async (name) => findCommand(registry, name)));
  catalogue = commands.filter((command): command is Command => command !== undefined).map(catalogueEntry);
  expect(catalogue).toHaveLength(3);
});

/** Limits, and the commands that they permit. */
const TABLE: readonly (readonly [string, Allow, readonly string[]])[] = [
  ['names', { commands: [LIST, 'aisec-nothing'] }, [LIST]],
  ['patterns', { commands: ['aisec-runtime-topics-*'] }, [LIST, CREATE]],
  ['effects', { effects: ['read'] }, [LIST]],
  ['what changes nothing', { readOnly: true }, [LIST, SCAN]],
  ['no name', { commands: [] }, []],
];

describe.each(TABLE)('Limits to %s', (_what, allow, expected) => {
  it('permit these commands each time, and no command without a declaration', () => {
    const mayUse = permits({ allow }, catalogue);
    const names = [LIST, CREATE, SCAN, 'aisec-nothing'];
    expect(names.filter(mayUse)).toEqual(expected);
    expect(names.filter(mayUse)).toEqual(expected);
  });

  it('refuse other commands by name, and leave unknown names to the dispatcher', () => {
    for (const name of [LIST, CREATE, SCAN]) {
      const check = () => checkRights({ allow }, ['aisec-nothing', name], catalogue);
      if (expected.includes(name)) expect(check).not.toThrow();
      else expect(check).toThrow(new NotAllowedError(`${name} is not allowed for this client.`));
    }
  });
});

it('Without limits everything is permitted', () => {
  expect([LIST, 'aisec-nothing'].filter(permits({}, catalogue))).toEqual([LIST, 'aisec-nothing']);
  checkRights({}, [CREATE], catalogue);
});

describe('A run', () => {
  it.each<[string, RunRequest, readonly string[]]>([
    ['command', WORK, [LIST]],
    [
      'line',
      { kind: 'line', session: 's', line: `!${SCAN}`, shown: `!${SCAN}`, dryRun: false, commands: [SCAN] },
      [SCAN],
    ],
    ['playbook', { kind: 'playbook', playbook: '', inputs: {}, dryRun: false, commands: [LIST, SCAN] }, [LIST, SCAN]],
  ])('of a %s is refused by the first command that is not permitted', (_kind, work, names) => {
    const run = newRun('1', OWNER, work, '2026');
    expect(requestedCommands(work)).toEqual(names);
    expect(refusedIn(run, () => true)).toBeUndefined();
    expect(refusedIn(run, () => false)).toBe(names[0]);
    expect(refusedIn(run, (name) => name !== names.at(-1))).toBe(names.at(-1));
  });
});
