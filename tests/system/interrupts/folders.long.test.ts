/** Temporary folders of services: the next start removes the folders of a killed service. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ownedName, removeStaleFolders } from '../../../lib/node/files/unfinished.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { ended, program, start } from '../../support/program.ts';

const path = program({ withCatalogue: true });

describe('temporary folders', () => {
  test('of dead processes are removed with their files, and other files of a shared directory are kept', async () => {
    const shared = temporaryFolder('shared');
    const mine = ownedName('aisec-serve-');
    const dead = mine.replace(/-([0-9a-f]{8})-\d+-/, '-$1-999999999-');
    const elsewhere = dead.replace(/-[0-9a-f]{8}-/, '-00000000-');
    const link = dead.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const target = temporaryFolder('target');
    for (const name of [mine, dead, elsewhere, 'aisec-serve-other', `aisec-mcp-${dead.slice(12)}`]) {
      mkdirSync(join(shared, name, 'default'), { recursive: true });
      writeFileSync(join(shared, name, 'default', 'prompts.csv'), 'hello');
    }
    writeFileSync(join(target, 'kept'), '');
    symlinkSync(target, join(shared, link));
    await removeStaleFolders(shared, 'aisec-serve-');
    const left = [mine, elsewhere, link, 'aisec-serve-other', `aisec-mcp-${dead.slice(12)}`];
    expect(readdirSync(shared).toSorted()).toEqual(left.toSorted());
    expect(readdirSync(target)).toEqual(['kept']);
  });

  test.each([
    { what: 'aisec serve', words: ['serve', '--port', '0', '--simulate'], folder: /^aisec-serve-/ },
    { what: 'aisec mcp --http', words: ['mcp', '--http', '--port', '0', '--simulate'], folder: /^aisec-mcp-/ },
  ])('of a killed $what are removed by the next start, which has a new folder', async ({ words, folder }) => {
    const temporary = temporaryFolder('temporary');
    const folders = () => readdirSync(temporary).filter((name) => folder.test(name));
    const launch = async (seen: readonly string[]) => {
      const child = start(path, words, { folder: temporaryFolder('home'), environment: { TMPDIR: temporary } });
      const end = ended(child);
      await until(() => folders().some((name) => !seen.includes(name)));
      return { child, end };
    };
    const first = await launch([]);
    const [killed = ''] = folders();
    first.child.kill('SIGKILL');
    await first.end;
    expect(folders()).toEqual([basename(killed)]);
    const second = await launch([killed]);
    await until(() => !folders().includes(killed));
    expect(folders()).toHaveLength(1);
    second.child.kill('SIGTERM');
    await second.end;
    expect(folders()).toEqual([]);
  });
});
