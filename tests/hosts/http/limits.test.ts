import { registry } from '../../../commands/index.ts';
import { allowsEntry } from '../../../lib/client/allow.ts';
import type { Command } from '../../../lib/engine/command.ts';
import { limitsOf } from '../../../lib/hosts/http/access/rights.ts';
import { type CommandEntry, entryOf } from '../../../lib/manifest/command-catalogue.ts';
import { expectNone } from '../../support/expect-none.ts';

const commands: Command[] = [];
let catalogue: CommandEntry[] = [];

beforeAll(async () => {
  for (const load of Object.values(registry)) commands.push(await load());
  catalogue = commands.map(entryOf);
});

const namesFor = (role: 'read' | 'operate' | 'admin', toolsets?: readonly string[]) => {
  const { allow } = limitsOf({ name: 'ci', role, ...(toolsets === undefined ? {} : { toolsets }) }, catalogue);
  return catalogue.filter((entry) => allowsEntry(allow, entry)).map(({ name }) => name);
};
const ISSUING = ['aisec-runtime-api-keys-create', 'aisec-runtime-api-keys-regenerate'];

test('read permits exactly the commands that read and stay inside the service', () => {
  const wanted = commands.filter(({ effect, outside }) => effect === 'read' && outside !== true);
  expect(namesFor('read')).toEqual(wanted.map(({ name }) => name));
  expect(wanted.length).toBeGreaterThan(50);
  // Both conditions decide something.
  expect(commands.some(({ effect, outside }) => effect === 'read' && outside === true)).toBe(true);
});

test('operate permits all but deletions and commands that issue a secret', () => {
  const permitted = namesFor('operate');
  const left = commands.filter(({ name }) => !permitted.includes(name));
  expect(left.map(({ name }) => name)).toEqual(
    commands.filter(({ name, effect }) => effect === 'delete' || ISSUING.includes(name)).map(({ name }) => name),
  );
  expect(left.length).toBeGreaterThan(ISSUING.length);
});

test('admin permits all, and only admin sees secrets that the service returns once', () => {
  expect(namesFor('admin')).toEqual(Object.keys(registry));
  const hides = (role: 'read' | 'operate' | 'admin') => limitsOf({ name: 'ci', role }, catalogue).hideSecrets;
  expect([hides('read'), hides('operate'), hides('admin')]).toEqual([true, true, false]);
});

test('the commands that issue a secret follow from the declarations', () => {
  expect(catalogue.filter(({ issuesSecret }) => issuesSecret).map(({ name }) => name)).toEqual(ISSUING);
});

test('toolsets narrow every role, and widen no role', () => {
  const findings = (['read', 'operate', 'admin'] as const).flatMap((role) => {
    const all = namesFor(role);
    const sets = ['runtime', 'dlp', 'red-team', 'model-security'].map((word) => namesFor(role, [word]));
    const some = sets.flat();
    const foreign = some.filter((name) => !all.includes(name)).map((name) => `${role} gains ${name}`);
    const twice = some.filter((name, at) => some.indexOf(name) !== at).map((name) => `${role} has ${name} twice`);
    return [...foreign, ...twice, ...(sets[1]?.every((name) => name.includes('-dlp-')) ? [] : [`${role}: dlp`])];
  });
  expectNone(findings, 'toolsets that do not narrow');
  expect(namesFor('read', ['dlp', 'runtime']).length).toBeLessThan(namesFor('read').length);
  expect(namesFor('operate', ['all'])).toEqual(namesFor('operate'));
});

test('an unknown role or toolset permits nothing', () => {
  expect(() => namesFor('admin', ['constructor'])).toThrow('no toolset');
  expect(namesFor('root' as 'admin')).toEqual([]);
  expect(namesFor('admin', [])).toEqual([]);
});
