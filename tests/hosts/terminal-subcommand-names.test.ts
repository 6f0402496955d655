/** Subcommands take the name of a scan, or the beginning of its id, as commands do. */
import { join } from 'node:path';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../unit/report/support.ts';

const HTML = join(temporaryFolder('names'), 'page.html');
/** Two scans of the simulated tenant are of this model. */
const AMBIGUOUS = 'https://hub.example.com/acme/summarizer';

describe('the scan of a subcommand', () => {
  test.each([
    { words: ['gate', 'model', 'ac61'], code: 0 },
    { words: ['gate', 'model', '/models/fraud-detector'], code: 0 },
    { words: ['gate', 'redteam', '94e0', '--max-asr', '90'], code: 0 },
    { words: ['gate', 'redteam', 'support-chatbot before the update', '--max-asr', '90'], code: 0 },
    { words: ['report', 'ac61', '--html', HTML], code: 0 },
    { words: ['report', 'support-chatbot before the update', '--html', HTML], code: 0 },
    { words: ['compare', '94e0', '2c8f'], code: 0 },
    { words: ['watch', '2c8f'], code: 0 },
  ])('is found by $words', async ({ words, code }) => {
    expect(await run(words)).toMatchObject({ code });
  });

  test.each([{ words: ['gate', 'model', AMBIGUOUS] }, { words: ['report', AMBIGUOUS, '--html', HTML] }])(
    'is refused with the candidates if $words names several',
    async ({ words }) => {
      const { code, stderr } = await run(words);
      expect(code).toBe(5);
      expect(stderr).toContain(`2 records fit "${AMBIGUOUS}"`);
      expect(stderr).toMatch(/Give more of the id: 27f0b6e4 .*, ac61d8f3 |ac61d8f3 .*, 27f0b6e4 /);
    },
  );

  test.each([
    { words: ['gate', 'model', 'ac61'] },
    { words: ['gate', 'redteam', '94e0', '--max-asr', '90'] },
    { words: ['watch', '94e0'] },
    { words: ['compare', '94e0', '2c8f'] },
  ])('is taken as typed with --exact: $words', async ({ words }) => {
    const { code, stderr } = await run([...words, '--exact']);
    expect(code).toBe(2);
    expect(stderr).toContain('must be a UUID');
  });
});
