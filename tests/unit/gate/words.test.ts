/** A gate judges every file and id of its line, or refuses the line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { ALLOWED } from '../../support/answers.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';
import { finished, MODEL_SCANS } from './support.ts';

const { jobs } = RED_TEAM_IDS;

type Row = Readonly<Record<string, unknown>>;
const allow = (row: number): Row => ({ row, ...ALLOWED, prompt: `Prompt ${row}` });
const block = (row: number): Row => ({
  ...{ row, action: 'block', scan_id: 'batch', prompt: `Prompt ${row}` },
  prompt_detected: { injection: true },
});

const FILES = {
  'clean.jsonl': finished([allow(1), allow(2)]),
  'copy.jsonl': finished([allow(1), allow(2)]),
  'other.jsonl': finished([allow(1), { ...allow(2), prompt: 'Other' }]),
  'blocked.jsonl': finished([allow(1), block(2)]),
  'bad.jsonl': finished([block(1), block(2), block(3)]),
  'cut.jsonl': finished([allow(1)]).split('\n')[0] ?? '',
};

function folder(): string {
  const path = temporaryFolder('gate');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(path, name), text);
  return path;
}

const bulk = (names: readonly string[], ...more: readonly string[]) => {
  const path = folder();
  return run(['gate', 'bulk', ...names.map((name) => join(path, name)), ...more]);
};

describe('the files of aisec gate bulk', () => {
  scenario.each([
    { names: ['clean.jsonl', 'other.jsonl'], code: 0, says: '4 prompts: 0 blocked.' },
    { names: ['clean.jsonl', 'clean.jsonl'], code: 8, says: 'clean.jsonl were given twice' },
    { names: ['clean.jsonl', 'copy.jsonl'], code: 8, says: 'copy.jsonl were given twice' },
    { names: ['blocked.jsonl', './blocked.jsonl'], code: 1, says: '2 of 4 prompts blocked' },
    { names: ['clean.jsonl', 'blocked.jsonl'], code: 1, says: '1 of 4 prompts blocked' },
    { names: ['blocked.jsonl', 'clean.jsonl', 'bad.jsonl'], code: 1, says: '4 of 7 prompts blocked' },
    { names: ['clean.jsonl', 'cut.jsonl'], code: 8, says: 'cut.jsonl is not the file of a finished run' },
    { names: ['cut.jsonl', 'blocked.jsonl'], code: 1, says: 'cut.jsonl is not the file of a finished run' },
    { names: ['clean.jsonl', 'gone.jsonl'], code: 5, says: 'gone.jsonl does not exist' },
    { names: ['blocked.jsonl', 'gone.jsonl', 'lost.jsonl'], code: 5, says: 'lost.jsonl' },
    { names: ['gone.jsonl'], code: 5, says: 'gone.jsonl does not exist' },
    { names: ['.'], code: 2, says: 'is a directory' },
    { names: ['clean.jsonl', ''], code: 2, says: 'is a directory' },
  ])('gate-words', '$names are all judged: exit $code', async ({ names, code, says }) => {
    const ended = await bulk(names, '--output', 'table');
    expect({ code: ended.code, says: `${ended.stdout}${ended.stderr}`.replace(/\s+/g, ' ') }).toEqual({
      code,
      says: expect.stringContaining(says),
    });
  });

  scenario('gate-words', 'have one verdict, and each finding names its file, row and line', async () => {
    const { stdout } = await bulk(['blocked.jsonl', 'clean.jsonl', 'bad.jsonl'], '--output', 'json');
    const { findings } = JSON.parse(stdout) as { findings: { place: object; message: string }[] };
    expect(findings.map(({ place, message }) => ({ place, message }))).toEqual([
      { place: { uri: 'blocked.jsonl', line: 2 }, message: 'Row 2, at blocked.jsonl:2, is blocked by injection.' },
      ...[1, 2, 3].map((row) => ({
        place: { uri: 'bad.jsonl', line: row },
        message: `Row ${row}, at bad.jsonl:${row}, is blocked by injection.`,
      })),
    ]);
  });

  scenario('gate-words', 'must be a single file if prompts are located in a table', async () => {
    const ended = await bulk(['clean.jsonl', 'blocked.jsonl'], '--csv', 'prompts.csv', '--output', 'table');
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--csv') });
  });
});

describe('the ids of a gate', () => {
  scenario.each([
    { words: ['model', MODEL_SCANS.allowed, MODEL_SCANS.blocked], hint: `aisec gate model ${MODEL_SCANS.blocked}` },
    {
      words: ['redteam', jobs.earlierStatic, jobs.static, '--max-asr', '20'],
      hint: `aisec gate redteam ${jobs.static} --max-asr 20`,
    },
    {
      words: ['redteam', jobs.static, jobs.earlierStatic, '--baseline', jobs.earlierStatic],
      hint: `aisec gate redteam ${jobs.static} --baseline ${jobs.earlierStatic}`,
    },
  ])('gate-words', 'are refused if there is more than one: $words', async ({ words, hint }) => {
    const ended = await run(['gate', ...words, '--output', 'table']);
    expect({ code: ended.code, says: ended.stderr.replace(/\s+/g, ' ') }).toEqual({
      code: 2,
      says: expect.stringContaining(hint),
    });
  });

  scenario.each([
    { words: ['model', '00000000-0000-4000-8000-000000000000'] },
    { words: ['redteam', '00000000-0000-4000-8000-000000000000', '--max-asr', '100'] },
    { words: ['redteam', jobs.static, '--baseline', '00000000-0000-4000-8000-000000000000'] },
  ])('gate-words', 'that do not exist are exit 5: $words', async ({ words }) => {
    expect((await run(['gate', ...words, '--output', 'table'])).code).toBe(5);
  });
});
