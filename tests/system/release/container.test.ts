/** The parts of the container image that need no buildah; `npm run container` checks the image itself. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { librariesOf, NODE, packagesOf } from '../../../scripts/container/runtime-files.ts';
import { imageFiles, megabytes, sizeTable } from '../../../scripts/container/size.ts';
import { programFiles, USER } from '../../../scripts/container/stage.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/program.ts';

describe('libraries are read from the output of ldd', () => {
  test.each([
    {
      system: 'glibc',
      output: `	linux-vdso.so.1 (0x00007fed965a3000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fed9601e000)
	/lib64/ld-linux-x86-64.so.2 (0x00007fed965a5000)
`,
      paths: ['/lib/x86_64-linux-gnu/libc.so.6', '/lib64/ld-linux-x86-64.so.2'],
    },
    {
      system: 'musl',
      output: `	/lib/ld-musl-x86_64.so.1 (0x7f2b1c4a5000)
	libstdc++.so.6 => /usr/lib/libstdc++.so.6 (0x7f2b1c200000)
`,
      paths: ['/lib/ld-musl-x86_64.so.1', '/usr/lib/libstdc++.so.6'],
    },
    { system: 'a statically linked program', output: '', paths: [] },
  ])('of $system', ({ output, paths }) => {
    expect(librariesOf(output)).toEqual(paths);
  });

  test('and one that is missing is an error', () => {
    expect(() => librariesOf('\tlibfoo.so.1 => not found\n')).toThrow('The library libfoo.so.1 is not installed.');
  });
});

test('packages are read once each from the output of dpkg-query, without their architecture', () => {
  const output = `nodejs: /usr/bin/node
libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6
libc6:amd64: /lib/x86_64-linux-gnu/libm.so.6
diversion by dash from: /bin/sh
`;
  expect(packagesOf(output)).toEqual(['libc6', 'nodejs']);
});

test('the image gets what runs the program, and neither library nor documents', () => {
  const manifest = {
    man: ['./dist/aisec.1'],
    exports: { '.': { default: './dist/library.js' }, './package.json': './package.json', './x': './catalogue/x.json' },
  };
  const kept = [
    'LICENSE',
    'dist/aisec.cjs',
    'dist/chunks-0.js',
    'dist/licences.txt',
    'dist/sbom.cdx.json',
    'package.json',
  ];
  const others = ['README.md', 'catalogue/x.json', 'dist/aisec.1', 'dist/lib/A.js', 'dist/library.js', 'docs/wire.md'];
  expect(programFiles(manifest, [...kept, ...others])).toEqual(kept);
});

describe('sizes', () => {
  test.each([
    [98_932_688, '98.9'],
    [50_000, '0.1'],
    [35_123, '0.035'],
    [0, '0.0'],
  ])('%d bytes are %s MB', (bytes, text) => {
    expect(megabytes(bytes)).toBe(text);
  });

  test('are listed by part, with every file in exactly one of them', () => {
    const paths = [
      NODE,
      '/lib/libc.so.6',
      '/opt/aisec/dist/aisec.cjs',
      '/usr/share/doc/libc6/copyright',
      '/etc/passwd',
    ];
    const table = sizeTable(paths.map((path, index) => ({ path, bytes: 10 ** 6 * (index + 1), mode: 0o644, uid: 0 })));
    const rows = table.split('\n').map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
    expect(rows.slice(2).map(([, files, size]) => [files, size])).toEqual([
      ['1', '1.0'],
      ['1', '2.0'],
      ['1', '3.0'],
      ['1', '4.0'],
      ['1', '5.0'],
      ['5', '15.0'],
    ]);
  });

  test('are those of files in all folders; a link counts as itself', () => {
    const root = temporaryFolder('image');
    mkdirSync(join(root, 'b'));
    writeFileSync(join(root, 'b', 'large'), 'x'.repeat(1000));
    writeFileSync(join(root, 'a'), 'xx');
    symlinkSync('large', join(root, 'b', 'link'));
    expect(imageFiles(root).map(({ path, bytes }) => [path, bytes])).toEqual([
      ['/a', 2],
      ['/b/large', 1000],
      ['/b/link', 5],
    ]);
  });
});

test('Containerfile has the number of the staged user, and starts the staged program', () => {
  const text = readFileSync(join(ROOT, 'Containerfile'), 'utf8');
  expect(text).toContain(`\nUSER ${USER}:${USER}\n`);
  expect(text).toContain(`ENTRYPOINT ["${NODE}", "/opt/aisec/dist/aisec.cjs"]`);
});
