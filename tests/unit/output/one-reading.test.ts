/** Every reader of an answer reads the same decision, and passes only a complete allow. */
import { Readable } from 'node:stream';
import { fromJournal } from '../../../commands/runtime/bulk-scan/restore.ts';
import type { Journal } from '../../../lib/core/ports.ts';
import { gateBulk } from '../../../lib/features/gate/gates.ts';
import { collectBulk, doubtsAbout } from '../../../lib/features/report/bulk-scan.ts';
import { hitsOf } from '../../../lib/features/topics/hits.ts';
import { textReader } from '../../../lib/runtime/bulk/lines.ts';
import { type NoVerdict, readRow } from '../../../lib/runtime/output/verdict.ts';
import { ALLOWED, ANSWERS } from '../../support/answers.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { finished, NOW } from '../gate/support.ts';
import { scripted } from '../guard/scripted.ts';
import { run } from '../report/support.ts';

type Row = Readonly<Record<string, unknown>>;
type Word = 'allow' | 'block' | 'none';

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const CODES: readonly [number, Word][] = [
  [0, 'allow'],
  [1, 'block'],
  [8, 'none'],
];

const wordOf = (code: number) => CODES.find(([known]) => known === code)?.[1] ?? `exit ${code}`;

/** Reads the first word of the first row of the first table in markdown. */
const firstCellOf = (markdown: string) => markdown.split(/^\|---.*\n\| /m)[1]?.split(' ')[0] ?? 'none';

/** Runs the program on a service that gives this answer. */
async function told(words: readonly string[], answer: Row) {
  const item = {
    scan_id: ID,
    req_id: 1,
    status: 'complete',
    result: { completed_at: '2020-01-01T00:00:00Z', ...answer },
  };
  const { code, stdout } = await run([...words, '--exit-code', '--output', 'json'], {
    alter: (path, response) => {
      if (path.endsWith('/scan/sync/request')) return { ...response, status: 200, body: JSON.stringify(answer) };
      if (!path.endsWith('/scan/results')) return response;
      return { ...response, status: 200, body: JSON.stringify([item]) };
    },
  });
  const { outputs = {}, readable = '' } = stdout === '' ? {} : JSON.parse(stdout);
  return { word: wordOf(code), outputs, first: firstCellOf(readable) };
}

const ofGate = (row: Row) => ofGateText(finished([row]));

async function ofGateText(text: string): Promise<Word> {
  const { failed, unfinished } = await gateBulk([{ reader: textReader(text), name: 'r' }], { now: NOW });
  return failed ? 'block' : unfinished === undefined ? 'allow' : 'none';
}

const ofPage = (row: Row) => ofPageText(finished([row]));

async function ofPageText(text: string): Promise<Word> {
  const data = await collectBulk(textReader(text), { name: 'r', createdAt: NOW, version: '1' });
  return data.blocked > 0 ? 'block' : doubtsAbout(data).length === 0 && data.allowed === 1 ? 'allow' : 'none';
}

/** A guard that is configured to pass text the service could not decide on. */
async function ofGuard(answer: Row): Promise<{ word: Word; passes: boolean }> {
  const { guard } = scripted({ onError: 'allow', cache: false }, () => answer);
  const { action, unscanned } = await guard.input('hello');
  return { word: unscanned === undefined ? (action as Word) : 'none', passes: action !== 'block' };
}

/** A pipe that is configured to pass text the service could not decide on, through the program and its answer checks. */
async function passesPipe(answer: Row): Promise<boolean> {
  const { stdout } = await run(['guard', '--profile', 'prod', '--prompt', '--on-error', 'allow'], {
    alter: (path, response) =>
      path.endsWith('/scan/sync/request') ? { ...response, status: 200, body: JSON.stringify(answer) } : response,
    parts: { stdin: Readable.from(['hello']) },
  });
  return stdout === 'hello';
}

/** The answer itself talks about a topic, which the service detects. */
async function ofTopics(row: Row): Promise<'decided' | 'none'> {
  const found = row['prompt_detected'];
  const isObject = typeof found === 'object' && found !== null && !Array.isArray(found);
  const flags = isObject ? { prompt_detected: { ...found, topic_violation: false } } : {};
  const topic = { topic: 't', profile: 'p', revision: 1, pinned: 1, newest: 1, isOnly: true, state: [] };
  const [hit] = await hitsOf([{ ...row, ...flags }], 1, { ...topic, action: 'block' }, async () => []);
  return typeof hit === 'boolean' ? 'decided' : 'none';
}

/** Reads the rows of a stopped run as the run that resumes it. */
async function resumed(results: string): Promise<readonly unknown[]> {
  const file = (text: string) => ({ read: async () => textReader(text) });
  const restored = await fromJournal({ results: file(results), notes: file('') } as unknown as Journal);
  const row = await restored.next();
  return [row, ...((await restored.next()) === undefined ? [] : ['more'])];
}

const word = (reading: Word | NoVerdict): Word => (reading === 'allow' || reading === 'block' ? reading : 'none');

/** One answer for each decision, by its difference from an allow and its type. */
const KINDS = [
  ...new Map(
    ANSWERS.toReversed().map((one) => {
      const changes = Object.entries(JSON.parse(one.what)).map(([name, value]) => [name, typeof value]);
      return [JSON.stringify([one.reading, changes]), one];
    }),
  ).values(),
];

describe('the answer', () => {
  const folder = temporaryFolder('one-reading');

  test.each(ANSWERS)('[one-reading] with $what is $reading for every reader', async ({ answer, reading }) => {
    const expected = word(reading);
    const row = { row: 1, ...answer };
    const { word: guard, passes } = await ofGuard(answer);
    expect([await ofGate(row), await ofPage(row), guard]).toEqual([expected, expected, expected]);
    expect(passes).toBe(expected === 'allow' || reading === 'timeout' || reading === 'error');
    const found = answer['prompt_detected'];
    if (expected === 'none') expect(await ofTopics(row)).toBe('none');
    else if (expected === 'allow' && typeof found === 'object' && found !== null)
      expect(await ofTopics(row)).toBe('decided');
  });

  test.each(KINDS)('with $what is $reading for the program as well', async ({ answer, reading }) => {
    const expected = word(reading);
    const scan = await told(['runtime-scan', 'profile_name=prod', 'prompt=hello'], answer);
    const record = scan.outputs['AiSec.RuntimeScan'];
    const bulk = await told(
      ['runtime-bulk-scan', 'profile_name=prod', 'prompts_csv=hello', '--files-dir', folder],
      answer,
    );
    const { decision, results } = bulk.outputs['AiSec.BulkScan'] ?? {};
    const read = {
      scan: scan.word,
      record: record?.decision ?? 'none',
      markdown: scan.first,
      bulk: bulk.word,
      bulkRecord: decision,
      bulkRow: results?.[0]?.decision,
      explain: (await told(['explain', ID], answer)).word,
      gateOfRow: await ofGate(results[0]),
      pageOfRow: await ofPage(results[0]),
    };
    expect(read).toEqual(Object.fromEntries(Object.keys(read).map((name) => [name, expected])));
    expect(record?.decision_cause ?? reading).toBe(reading);
    const passes = await passesPipe(answer);
    if (reading !== 'timeout' && reading !== 'error') expect(passes).toBe(expected === 'allow');
  });

  test.each(['profile_name', 'scan_id', 'source', 'session_id', 'created_at', 'category', 'timeout', 'error'])(
    'of a refusal passes nothing where %s has another type',
    async (member) => {
      for (const other of [[], {}])
        expect(await passesPipe({ ...ALLOWED, action: 'block', [member]: other })).toBe(false);
    },
  );

  test.each(['allow', 'block', 'none', 'yes', 1])(
    'with a stored decision of %j passes only if its members say so, and stays a block',
    async (stored) => {
      for (const { answer, reading } of ANSWERS) {
        const row = { row: 1, ...answer, decision: stored };
        const expected = reading === 'block' || stored === word(reading) ? word(reading) : 'none';
        expect({ gate: await ofGate(row), page: await ofPage(row) }).toEqual({ gate: expected, page: expected });
      }
    },
  );

  test.each(['"action":"block",', '"\\u0061ction":"block",', '"errors":["x"],"errors":[],'])(
    'with a duplicate member is not an allow: %s',
    async (twice) => {
      const text = finished([{ row: 1, ...ANSWERS[0]?.answer }]).replace('{', `{${twice}`);
      expect({ gate: await ofGateText(text), page: await ofPageText(text) }).toEqual({ gate: 'none', page: 'none' });
      expect((await resumed(text)).map((row) => readRow(row).decision)).toEqual(['none']);
    },
  );

  test.each(['failed', 'timed_out', 'COMPLETE', 7])('of a row that ended as %j is not an allow', async (status) => {
    const row = { row: 1, ...ANSWERS[0]?.answer, status };
    expect({ gate: await ofGate(row), page: await ofPage(row) }).toEqual({ gate: 'none', page: 'none' });
  });
});
