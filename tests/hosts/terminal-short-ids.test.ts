/** Names and short ids in real commands of the program, and the hosts that take full ids alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../commands/index.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../unit/report/support.ts';
import { type Server, start as startService } from './http/support.ts';
import { closeConnectionsAfterEach, connect } from './mcp/support.ts';

const { jobs, targets } = RED_TEAM_IDS;
const NAMED = 'aisec-redteam-targets-get';
const NAME = 'support-chatbot';

/** A scan names its profile by profile_name, and needs no right to list profiles. */
const BY_NAME = 'aisec-runtime-scan profile_id';

/** Runs a list, and returns the id of its first record. */
async function firstId(line: readonly string[], id = 'uuid', member?: string): Promise<string> {
  const { stdout } = await run([...line, '--output', 'json']);
  const { raw } = JSON.parse(stdout);
  return (member === undefined ? raw : raw[member])[0][id];
}

describe('a script names records as the tables show them', () => {
  const short = (id: string) => id.slice(0, 8);

  test.each([
    { line: ['redteam-targets-get', `target=${NAME}`], id: targets.supportChatbot },
    { line: ['redteam-targets-get', NAME], id: targets.supportChatbot },
    { line: ['redteam-targets-get', short(targets.supportChatbot)], id: targets.supportChatbot },
    { line: ['redteam-scan-get', `scan=${short(jobs.static)}`], id: jobs.static },
    { line: ['redteam-report-get', short(jobs.static)], id: jobs.static },
  ])('$line', async ({ line, id }) => {
    const { code, stdout } = await run(line);
    expect([code, stdout]).toEqual([0, expect.stringContaining(id)]);
  });

  test.each([
    {
      list: ['redteam-report-attacks-list', `job_id=${jobs.static}`],
      get: (id: string) => ['redteam-report-attack-get', short(jobs.static), `attack=${id}`],
      ...{ id: 'uuid', member: undefined },
    },
    {
      list: ['redteam-report-goals-list', `job_id=${jobs.dynamic}`],
      get: (id: string) => ['redteam-report-goal-streams-list', `goal_id=${id}`, `scan=${short(jobs.dynamic)}`],
      ...{ id: 'uuid', member: undefined },
    },
    {
      list: ['redteam-custom-attacks-list', `job_id=${jobs.custom}`],
      get: (id: string) => ['redteam-custom-attack-outputs', short(jobs.custom), `attack=${id}`],
      ...{ id: 'attack_id', member: 'attacks' },
    },
  ])('ids inside of a scan: $list', async ({ list, get, id, member }) => {
    const full = await firstId(list, id, member);
    const { code, stderr } = await run(get(short(full)));
    expect([code, stderr]).toEqual([0, expect.stringContaining(full)]);
  });

  test('every argument that takes a UUID has a list that shows it', async () => {
    const without: string[] = [];
    for (const [command, load] of Object.entries(registry)) {
      for (const [name, { schema, lookup }] of Object.entries((await load()).args))
        if (schema['title'] === 'a UUID' && lookup === undefined) without.push(`${command} ${name}`);
    }
    expectNone(
      without.filter((each) => each !== BY_NAME),
      'argument without a list',
    );
  });
});

describe('names stay text', () => {
  closeConnectionsAfterEach();

  test('in a playbook', async () => {
    const file = join(temporaryFolder('names'), 'playbook.yml');
    const task = `{id: '1', taskid: '1', type: regular, task: {id: '1', name: get, script: '|||${NAMED}', iscommand: true}, scriptarguments: {uuid: {simple: ${NAME}}}}`;
    const start = "{id: '0', taskid: '0', type: start, task: {id: '0'}, nexttasks: {'#none#': ['1']}}";
    writeFileSync(file, `id: names\nname: names\nstarttaskid: '0'\ntasks: {'0': ${start}, '1': ${task}}\n`);
    const { code, stderr } = await run(['playbook', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`uuid must be a UUID, not "${NAME}"`)]);
  });

  test('in the service', async () => {
    const server: Server = await startService({});
    try {
      expect(await server.run(NAMED, { uuid: NAME })).toMatchObject({ status: 400 });
      expect(await server.run(NAMED, { target: NAME })).toMatchObject({ status: 400 });
    } finally {
      await server.close();
    }
  });

  test('for agents', async () => {
    const { call } = await connect({ tools: NAMED });
    expect(await call(NAMED, { uuid: NAME })).toMatchObject({ isError: true });
  });
});
