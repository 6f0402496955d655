/** `--dry-run` on every subcommand: it shows what would be done and changes nothing, or it is refused. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { SUBCOMMANDS, type SubcommandName } from '../../bin/subcommands.ts';
import { createService } from '../../fixtures/service/index.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { addToken } from '../../lib/hosts/http/access/manage.ts';
import { PREFIX, queueName, TENANTS } from '../../lib/runs/redis/connection/names.ts';
import { openQueue, withQueue } from '../../lib/runs/redis/queue.ts';
import { queueStatus } from '../../lib/runs/redis/status.ts';
import { startWorker } from '../../lib/runs/redis/workers/worker.ts';
import { filesIn } from '../support/built-once.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineClock, until } from '../support/machine.ts';
import { TEST_TIME } from '../support/simulated.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { describeWithRedis, redisServer } from '../unit/queue/redis-server.ts';
import { run } from '../unit/report/support.ts';

const { jobs } = RED_TEAM_IDS;
const MODEL = '5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a';
const GROUP = ['--security-group', 'Production models'];
const TARGET = 'support-chatbot';
const QUEUE = ['--queue', '{redis}'];
/** A failed job in a tenant's queue. */
const [JOB, TENANT] = ['a1', 'b'.repeat(32)];
const redis = redisServer();
const CTRL_D = '\u0004';

interface Row {
  /** Words after the subcommand; {folder} is the folder of the test. */
  readonly words: readonly string[];
  /** Output of the dry run; if absent, the line is refused. */
  readonly shows?: RegExp;
  /** Exit code of the dry run. Default: 0 */
  readonly code?: number;
}

const REFUSED: readonly Row[] = [{ words: [] }];

/** Lines of every subcommand, at least one for each action. */
const LINES: Readonly<Record<SubcommandName, readonly Row[]>> = {
  // Its dialogue has its own test below.
  init: [{ words: [], shows: /the simulated service needs no settings/, code: 2 }],
  doctor: REFUSED,
  profiles: [{ words: [] }, { words: ['diff', '{folder}/guardrails.yml'] }],
  commands: [{ words: [] }, { words: ['--json'] }],
  gate: [
    { words: ['redteam', '--start', TARGET, '--wait', '--max-asr', '5'], shows: /POST[\s\S]*\/v1\/scan/, code: 8 },
    { words: ['redteam', '--start', TARGET, '--max-asr', '5', '--output', 'json'], shows: /"dry_run":true/, code: 8 },
    { words: ['model', '--scan', 'https://hub.test/a/b', ...GROUP, '--wait'], shows: /https:\/\/hub\.test/, code: 8 },
    ...['--sarif', '--junit', '--summary', '--code-quality'].map((option) => ({
      words: ['model', MODEL, option, '{folder}/findings'],
      shows: /these files would be written: \S+\/findings\./,
      code: 1,
    })),
    { words: ['redteam', jobs.static, '--max-asr', '5'] },
  ],
  guard: [{ words: ['--profile', 'prod'] }],
  explain: REFUSED,
  apply: [{ words: ['{folder}/guardrails.yml', '--output', 'table'], shows: /\+ topic Salaries \(create\)/ }],
  topics: [
    { words: ['diff', '{folder}/guardrails.yml'] },
    {
      words: ['eval', '{folder}/labels.csv', '--topic', 'investment-advice', '--output', 'table'],
      shows: /1 prompt would be scanned against the profile prod/,
    },
  ],
  export: [
    {
      words: ['{folder}/backup.yml', '--output', 'table'],
      shows: /3 topics.* would be written to \S+backup\.yml/,
    },
    { words: ['{folder}/backup.yml', '--output', 'json'], shows: /"dry_run":true/ },
  ],
  help: [{ words: [] }, { words: ['apply'] }],
  playbook: [
    {
      words: ['new', 'admit-prompt', '--files-dir', '{folder}/new', '--output', 'table'],
      shows: /admit-prompt\.yml would be written/,
    },
    { words: ['{folder}/playbook.yml'], shows: /dry run ends here/ },
  ],
  report: [
    {
      words: [jobs.static, '--html', '{folder}/report.html', '--output', 'table'],
      shows: /would be written to \S+report\.html/,
    },
    { words: [jobs.static, '--html', '{folder}/report.html', '--output', 'json'], shows: /"dry_run":true/ },
    { words: ['{folder}/rows.jsonl', '--html', '{folder}/b.html'], shows: /would be written/, code: 10 },
  ],
  watch: [
    { words: [jobs.static] },
    { words: [jobs.static, '--max-asr', '5'] },
    {
      words: [jobs.static, '--max-asr', '5', '--sarif', '{folder}/w.sarif'],
      shows: /these files would be written: \S+\/w\.sarif/,
      code: 1,
    },
  ],
  compare: [
    {
      words: [jobs.earlierStatic, jobs.static, '--html', '{folder}/c.html'],
      shows: /page would be written to \S+c\.html/,
    },
    { words: [jobs.earlierStatic, jobs.static] },
  ],
  dashboard: [
    { words: ['--html', '{folder}/d.html', '--output', 'table'], shows: /page would be written to \S+d\.html/ },
    { words: ['--open'], shows: /"dry_run":true/ },
    { words: [] },
  ],
  completion: [{ words: ['bash'] }],
  __complete: REFUSED,
  __refresh: REFUSED,
  mcp: [{ words: [] }, { words: ['--http'] }],
  serve: [
    { words: [] },
    { words: ['tokens'] },
    {
      words: ['token', 'new', '--role', 'read'],
      shows: /token new with the role read would be added to \S+tokens\.json/,
    },
    { words: ['token', 'ci', '--role', 'read'], shows: /A token "ci" already exists/, code: 2 },
    { words: ['token', 'ci', '--revoke'], shows: /ci would be revoked/ },
  ],
  worker: [{ words: QUEUE }],
  queue: [
    { words: QUEUE },
    { words: ['retry', 'a1', ...QUEUE], shows: /a1 would wait for its turn again/ },
    { words: ['drop', 'a1', ...QUEUE], shows: /a1 would be dropped/ },
  ],
  simulate: REFUSED,
};

const GUARDRAILS =
  'version: 1\ntopics: [{name: Salaries, description: Pay of people., examples: [a salary, her pay]}]\n';
const PLAYBOOK = `id: p
name: Make a topic
starttaskid: "0"
tasks:
  "0": {id: "0", taskid: "0", type: start, task: {name: start}, nexttasks: {"#none#": ["1"]}}
  "1":
    id: "1"
    taskid: "1"
    type: regular
    task: {name: Make it, script: "|||aisec-runtime-topics-create", iscommand: true}
    scriptarguments: {topic_name: {simple: x}, description: {simple: y}, examples: {simple: "aa,bb"}}
    nexttasks: {"#none#": ["2"]}
  "2": {id: "2", taskid: "2", type: title, task: {name: Done}}
`;

/** Creates a folder with all files that the lines name. */
async function folderOf(): Promise<string> {
  const folder = temporaryFolder('dry-run');
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'guardrails.yml'), GUARDRAILS);
  writeFileSync(join(folder, 'labels.csv'), 'prompt,label\nHello,false\n');
  writeFileSync(join(folder, 'playbook.yml'), PLAYBOOK);
  writeFileSync(join(folder, 'rows.jsonl'), '');
  await addToken({ ...tokensOf(folder), name: 'ci', role: 'read' });
  return folder;
}

const tokensOf = (folder: string) => ({
  environment: { HOME: join(folder, 'home') },
  tokensFile: join(folder, 'tokens.json'),
  now: () => TEST_TIME,
});

/** Adds a job to the queue, and makes it fail. */
async function failJob(): Promise<void> {
  const { link, close } = await openQueue({ url: redis.url });
  const jobs = new Queue(queueName('runs', TENANT), { connection: link.client, prefix: PREFIX });
  await link.client.sadd(TENANTS, TENANT);
  await jobs.add('run', { id: JOB }, { jobId: JOB });
  await jobs.close();
  const worker = startWorker({
    ...{ link, kind: 'runs', tenant: TENANT, slots: 1, now: machineClock.now },
    handlers: { process: () => Promise.reject(new Error('It broke.')), onAside: async () => undefined },
  });
  await until(async () => (await failedJobs()).length > 0);
  await worker.close();
  await close();
}

/** Returns the jobs that have failed. */
const failedJobs = async () => (await withQueue({ url: redis.url }, (queue) => queueStatus(queue, TEST_TIME))).aside;

/** Runs a line in a folder. @returns the side effects */
async function dryRun(words: readonly string[], folder: string, given: Parameters<typeof run>[1] = {}) {
  const changes: string[] = [];
  const service = createService();
  const asks = ({ method, url }: { method: string; url: string }) =>
    method === 'GET' || url.includes('oauth2') || url.endsWith('/metering/quota');
  const before = filesIn(folder);
  const ended = await run(
    words.map((word) => word.replace('{folder}', folder).replace('{redis}', redis.url)),
    {
      environment: {
        HOME: join(folder, 'home'),
        XDG_STATE_HOME: temporaryFolder('state'),
        AISEC_TOKENS_FILE: join(folder, 'tokens.json'),
      },
      ...given,
      service: {
        ...service,
        handle: (request, clock) => {
          if (!asks(request)) changes.push(`${request.method} ${request.url}`);
          return service.handle(request, clock);
        },
      },
      parts: { startDetached: () => changes.push('detached') },
    },
  );
  const after = filesIn(folder);
  const names = new Set([...before.keys(), ...after.keys()]);
  const touched = [...names].filter((name) => before.get(name)?.toString() !== after.get(name)?.toString());
  return { ...ended, changes: [...changes, ...touched] };
}

test('every subcommand has test lines', () => {
  expect(Object.keys(LINES)).toEqual(Object.keys(SUBCOMMANDS));
  expect(Object.values(LINES).every((rows) => rows.length > 0)).toBe(true);
});

const ROWS = Object.entries(LINES).flatMap(([name, rows]) =>
  rows.map((row) => ({ ...row, argv: [name, ...row.words] })),
);
const usesQueue = ({ words }: Row) => words.includes('{redis}');

describeWithRedis('--dry-run on a queue', () => {
  scenario.each(ROWS.filter(usesQueue))('dry-run-everywhere', 'of $argv changes nothing', async (row) => {
    await redis.flush();
    await failJob();
    const before = await failedJobs();
    await expectNoChange(row);
    expect(before).toMatchObject([{ id: JOB }]);
    expect(await failedJobs()).toEqual(before);
  });
});

async function expectNoChange({ argv, shows, code = 0 }: (typeof ROWS)[number]): Promise<void> {
  const folder = await folderOf();
  const { stdout, stderr, changes, ...ended } = await dryRun([...argv, '--dry-run'], folder);
  expectNone(changes, 'changes of a dry run');
  if (shows === undefined) {
    expect({ code: ended.code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/Option --dry-run means nothing for aisec \w+\. \S.*\n.*hint: \S/s);
  } else {
    expect({ code: ended.code, text: stdout + stderr }).toEqual({ code, text: expect.stringMatching(shows) });
  }
}

describe('--dry-run', () => {
  scenario.each(ROWS.filter((row) => !usesQueue(row)))(
    'dry-run-everywhere',
    'of $argv changes nothing',
    expectNoChange,
  );
});

describe('set dry-run on in the war room', () => {
  scenario.each([
    { line: `gate redteam --start ${TARGET} --max-asr 5`, shows: /there is no verdict/ },
    { line: `gate model ${MODEL} --sarif {folder}/findings.sarif`, shows: /these files would be written/ },
    { line: `report ${jobs.static} --html {folder}/report.html`, shows: /would be written to/ },
    { line: `compare ${jobs.earlierStatic} ${jobs.static} --html {folder}/c.html`, shows: /would be written to/ },
    { line: 'apply {folder}/guardrails.yml', shows: /topic Salaries \(create\)/ },
    { line: 'doctor', shows: /Management API +\S*✓\S* passed/ },
  ])('dry-run-everywhere', 'applies to $line', async ({ line, shows }) => {
    const folder = await folderOf();
    const { stdout, stderr, changes } = await dryRun([], folder, {
      terminal: { columns: 120, rows: 400 },
      typed: `set dry-run on\r${line.replace('{folder}', folder)}\r${CTRL_D}`,
    });
    expectNone(changes, 'changes of a dry run');
    expect(stdout + stderr).toMatch(shows);
  });
});
