import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderFor } from './bundle/folders.mjs';
import { temporaryFolder } from './folder.ts';

const write = (text: string) => async (folder: string) => {
  await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(join(folder, 'bundle.cjs'), text);
};
const textIn = (folder: string) => readFileSync(join(folder, 'bundle.cjs'), 'utf8');

describe('The folder of bundles', () => {
  test('is written once for a key', async () => {
    const all = temporaryFolder('bundles');
    const folder = await folderFor(all, 'a', write('first'));
    expect([await folderFor(all, 'a', write('second')), textIn(folder)]).toEqual([folder, 'first']);
  });

  test('is one and complete for two runs that begin together, and nothing else is left', async () => {
    const all = temporaryFolder('bundles');
    const folders = await Promise.all(['one', 'other'].map((text) => folderFor(all, 'a', write(text))));
    expect(new Set(folders)).toEqual(new Set([join(all, 'a')]));
    expect(['one', 'other']).toContain(textIn(join(all, 'a')));
    expect(readdirSync(all)).toEqual(['a']);
  });

  test('stays while its run lives, and is removed after it when others are newer', async () => {
    const all = temporaryFolder('bundles');
    const { pid } = spawnSync(process.execPath, ['--version']);
    const own = await folderFor(all, 'own', write('own'));
    const left = await folderFor(all, 'left', write('left'));
    rmSync(join(left, `reader-${process.pid}`));
    writeFileSync(join(left, `reader-${pid}`), '');
    for (const key of ['a', 'b', 'c']) await folderFor(all, key, write(key));
    expect([textIn(own), existsSync(left)]).toEqual(['own', false]);
  });

  test('is written again after a failure, which leaves nothing', async () => {
    const all = temporaryFolder('bundles');
    await expect(folderFor(all, 'a', () => Promise.reject(new Error('syntax')))).rejects.toThrow('syntax');
    expect(readdirSync(all)).toEqual([]);
    expect(textIn(await folderFor(all, 'a', write('whole')))).toBe('whole');
  });
});
