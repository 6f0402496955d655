import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { startServer } from '../../../fixtures/service/server.ts';
import { ConfigurationError } from '../../../lib/core/errors.ts';
import { writeFileAtomically } from '../../../lib/node/files/atomic-write.ts';
import { keepBytes, nodeFiles } from '../../../lib/node/files/files.ts';
import { linesIn } from '../../commands/runtime/bulk-room.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ended, program, start } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const KB = 1024;

function mount(options: string, place: string) {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place], { encoding: 'utf8' });
}

const noDisk = (() => {
  const place = temporaryFolder('disk');
  const { status, error, stderr } = mount('size=64k', place);
  if (status === 0) spawnSync('umount', [place]);
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
})();
if (noDisk !== undefined) process.stdout.write(`skipped: no small disk can be made: ${noDisk}\n`);

const mounted: string[] = [];
afterEach(() => {
  for (const place of mounted.splice(0)) spawnSync('umount', ['-l', place]);
});

/** A disk of this size, in kilobytes. */
function disk(size: number): string {
  const place = temporaryFolder('disk');
  mount(`size=${size}k`, place);
  mounted.push(place);
  return place;
}

(noDisk === undefined ? describe : describe.skip)('a full disk', () => {
  const journalOn = async (directory: string, resume: boolean) => {
    const journal = await nodeFiles(directory).journal('work', resume);
    if (journal === undefined) throw new Error('a terminal keeps journals');
    return journal;
  };

  scenario('atomic-write', 'leaves complete lines in a journal, in order, and accepts no later lines', async () => {
    const directory = disk(64);
    const journal = await journalOn(directory, false);
    await journal.results.append('first\n');
    const lines = Array.from({ length: 60 }, (_, index) => `${index} ${'x'.repeat(KB)}\n`);
    const filler = join(directory, 'filler');
    writeFileSync(filler, Buffer.alloc(20 * KB));
    await expect(journal.results.append(lines.join(''))).rejects.toThrow('the disk is full (ENOSPC)');
    // Space becomes free again, but the missing lines stay lost.
    rmSync(filler);
    await expect(journal.results.append('late\n')).rejects.toThrow(ConfigurationError);
    await journal.suspend();
    const kept = () => readFileSync(join(directory, 'work.partial.jsonl'), 'utf8');
    const whole = kept();
    expect(whole).toMatch(/^first\n0 [\s\S]*x\n$/);
    expect(`first\n${lines.join('')}`.startsWith(whole)).toBe(true);
    const next = await journalOn(directory, true);
    await next.results.append('next\n');
    await next.suspend();
    expect(kept()).toBe(`${whole}next\n`);
  });

  test.each([
    {
      what: 'a file named by the user does not change',
      act: (directory: string) => writeFileAtomically(join(directory, 'there'), 'x'.repeat(90 * KB)),
    },
    {
      what: 'nothing remains of a download',
      act: (directory: string) => keepBytes(directory)('report.zip', 'application/zip', [Buffer.alloc(90 * KB)]),
    },
    {
      what: 'nothing remains of a list',
      act: async (directory: string) => {
        const writer = await nodeFiles(directory).create('list.jsonl', 'application/jsonl');
        await writer.write('x'.repeat(90 * KB));
      },
    },
  ])('is named in the error, and $what', async ({ act }) => {
    const directory = disk(64);
    writeFileSync(join(directory, 'there'), 'old');
    await expect(act(directory)).rejects.toThrow('the disk is full (ENOSPC)');
    expect(readdirSync(directory)).toEqual(['there']);
    expect(readFileSync(join(directory, 'there'), 'utf8')).toBe('old');
  });

  const built = program();

  scenario('bulk-resume', 'stops a bulk scan, which resume=true continues after space is freed', async () => {
    const directory = disk(160);
    const prompts = Array.from({ length: 165 }, (_, index) =>
      `Question number ${index + 1}: ${'why '.repeat(400)}`.trim(),
    );
    const input = temporaryFolder('disk');
    writeFileSync(join(input, 'in.txt'), prompts.join('\n'));
    const service = createService({ processingMs: 150 });
    const { origin, close } = await startServer(service, { port: 0 });
    const scan = (more: string) => {
      const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${join(input, 'in.txt')} concurrency=1 ${more}`;
      const words = ['--files-dir', directory, '--context-limit', '9000', '--output', 'json', line];
      return ended(start(built, words, { folder: input, environment: service.settings(origin) }));
    };
    try {
      const first = await scan('');
      expect(first.code).toBe(3);
      expect(first.stderr).toContain('the disk is full (ENOSPC)');
      expect(first.stdout + first.stderr).toContain('resume=true');
      const [partial = ''] = readdirSync(directory).filter((name) => name.endsWith('.partial.jsonl'));
      expect(readFileSync(join(directory, partial), 'utf8')).toMatch(/\}\n$/);
      const { status } = spawnSync('mount', ['-o', 'remount,size=4m', directory]);
      expect(status).toBe(0);
      expect(await scan('resume=true')).toMatchObject({ code: 0 });
    } finally {
      await close();
    }
    expect(readdirSync(directory)).toEqual(['AiSec-BulkScan.jsonl']);
    const rows = linesIn(readFileSync(join(directory, 'AiSec-BulkScan.jsonl'), 'utf8')) as { prompt: string }[];
    expect(rows.map(({ prompt }) => prompt)).toEqual(prompts);
  });
});
