import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../fixtures/service/index.ts';
import { dlpSamples, type Entry } from '../../lib/cli/samples/dlp.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../unit/report/support.ts';

const { index, files } = dlpSamples();
const FILES = ['clean.txt', 'contract.md', 'customers.csv', 'index.json', 'payment.txt', 'settings.json'];

interface Place {
  readonly pattern: string;
  readonly locations: readonly unknown[];
}

/** What the simulated service finds in a text. */
async function found(text: string) {
  const { stdout } = await run(['runtime-scan', 'profile_name=prod', `prompt=${text}`], { service: createService() });
  const scan = JSON.parse(stdout).outputs['AiSec.RuntimeScan'];
  const places: readonly Place[] = scan.prompt_masked_data?.pattern_detections ?? [];
  return {
    action: scan.action,
    dlp: scan.prompt_detected.dlp,
    patterns: Object.fromEntries(places.map(({ pattern, locations }) => [pattern, locations.length])),
  };
}

describe('aisec samples', () => {
  test('lists the kinds', async () => {
    const { code, stdout } = await run(['samples']);
    expect({ code, kinds: JSON.parse(stdout) }).toMatchObject({ code: 0, kinds: [{ kind: 'dlp' }] });
    expect((await run(['samples', '--output', 'table'])).stdout).toContain('aisec samples dlp DIR');
  });

  test('writes files with an index into a new directory', async () => {
    const folder = join(temporaryFolder('samples'), 'new', 'dlp');
    const { code, stdout } = await run(['samples', 'dlp', folder]);
    expect(code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(FILES);
    expect(JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')).files).toEqual(JSON.parse(stdout).files);
    for (const { name, text } of files) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });

  test.each(FILES)('overwrites nothing where %s exists', async (name) => {
    const folder = temporaryFolder('samples');
    writeFileSync(join(folder, name), 'mine');
    const { code, stderr, stdout } = await run(['samples', 'dlp', folder]);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain(`has ${name} already`);
    expect([readdirSync(folder), readFileSync(join(folder, name), 'utf8')]).toEqual([[name], 'mine']);
  });

  test('keeps other files of the directory', async () => {
    const folder = temporaryFolder('samples');
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'other.txt'), 'mine');
    expect((await run(['samples', 'dlp', folder])).code).toBe(0);
    expect(readFileSync(join(folder, 'other.txt'), 'utf8')).toBe('mine');
  });

  test('writes through no link that leads nowhere, and says to choose another directory', async () => {
    const folder = temporaryFolder('samples');
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'gone'), link);
    const { code, stderr } = await run(['samples', 'dlp', link]);
    expect([code, readdirSync(folder)]).toEqual([3, ['link']]);
    expect(stderr).toContain('hint: Choose another directory.\n');
  });

  test.each([
    { words: ['dlp'], code: 2, says: 'needs a directory' },
    { words: ['cards', 'x'], code: 2, says: 'the kinds are dlp' },
    { words: ['constructor', 'x'], code: 2, says: 'the kinds are dlp' },
    { words: ['dlp', '/dev/null'], code: 3, says: '/dev/null' },
    { words: ['dlp', '/dev/null/x'], code: 3, says: '/dev/null/x' },
    { words: ['dlp', '/proc/aisec'], code: 3, says: '/proc' },
    { words: ['dlp', 'a', 'b'], code: 2, says: 'Too many arguments' },
  ])('of $words is exit $code', async ({ words, code, says }) => {
    expect(await run(['samples', ...words])).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) });
  });
});

describe('the samples for DLP', () => {
  test.each(index)(
    'the simulated service finds in $file what the index says',
    async ({ file, dlp, findings }: Entry) => {
      const text = files.find(({ name }) => name === file)?.text ?? '';
      expect(await found(text)).toEqual({
        action: dlp ? 'block' : 'allow',
        dlp,
        patterns: Object.fromEntries(findings.map(({ pattern, count }) => [pattern, count])),
      });
    },
  );

  test('have every kind, and a clean file', () => {
    const kinds = new Set(index.flatMap(({ findings }) => findings.map(({ kind }) => kind)));
    expect([...kinds].sort()).toEqual(['address', 'card', 'iban', 'key', 'phone', 'secret']);
    expect(index.filter(({ dlp }) => !dlp).map(({ file }) => file)).toEqual(['clean.txt']);
  });
});

describe('the simulated DLP detector', () => {
  test.each([
    { text: 'DE89370400440532013000', patterns: { IBAN: 1 } },
    { text: 'DE88370400440532013000', patterns: {} },
    { text: 'XX00', patterns: {} },
    { text: 'AKIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPL', patterns: { 'AWS Access Key': 1 } },
    { text: 'a commit 0123456789abcdef0123456789abcdef01234567', patterns: {} },
    { text: '+1 202-555-0143, 202-555-0143, 202-556-0143', patterns: { 'Phone Number': 2 } },
    { text: '4111 1111 1111 1111 at 12 Example Street', patterns: { 'Credit Card Number': 1, 'Postal Address': 1 } },
  ])('finds in $text: $patterns', async ({ text, patterns }) => {
    expect((await found(text)).patterns).toEqual(patterns);
  });
});
