/** `Containerfile`, without a builder: its base image comes from a registry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNone } from '../../support/expect-none.ts';
import { ROOT } from '../../support/program.ts';
import { copiedFiles, entryPoint, lastStage } from './containerfile.ts';

const { bin, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly bin: { readonly aisec: string };
  readonly files: readonly string[];
};
/** npm always packs these files. */
const ALWAYS = ['package.json', 'LICENSE'];

test('the image contains only files of the package', () => {
  const copied = copiedFiles().map(([path]) => path);
  expect(copied).toContain(bin.aisec);
  expectNone(
    copied.filter((path) => ![...ALWAYS, ...files].some((each) => path === each || path.startsWith(`${each}/`))),
    'files that Containerfile copies and the package does not have',
  );
});

test('files keep their relative places', () => {
  for (const [path, folder] of copiedFiles()) expect(`${folder}${path.split('/').at(-1)}`).toBe(path);
});

test('the image starts the program of the package', () => {
  expect(entryPoint()).toBe(bin.aisec);
});

test('the user is numeric and not root', () => {
  expect(lastStage().filter(({ name }) => name === 'USER')).toEqual([{ name: 'USER', words: ['10001:10001'] }]);
});

test('the last stage of the build runs no command', () => {
  expect(lastStage().map(({ name }) => name)).not.toContain('RUN');
});
