/** The audit of commands: a line at the start and a line at the end, wherever a command comes from. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { type Server, start, TOKEN } from './support.ts';

type Line = Readonly<Record<string, unknown>>;
const [SCAN, LIST, CREATE] = [
  'aisec-runtime-scan',
  'aisec-runtime-topics-list',
  'aisec-runtime-topics-create',
] as const;

let server: Server;
let auditFile = '';
beforeEach(async () => {
  auditFile = join(temporaryFolder('audit'), 'audit.jsonl');
  server = await start({ auditFile });
});
afterEach(() => server.close());

const text = () => readFileSync(auditFile, 'utf8');
const lines = (): readonly Line[] =>
  text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const written = (event: string) => lines().filter((line) => line['event'] === event);

/** Checks that each start has one end, and returns commands and outcomes. */
async function ended(): Promise<readonly unknown[]> {
  await until(async () => written('start').length === written('end').length);
  const ends = new Map(written('end').map((line) => [line['call'], line]));
  return written('start').map(({ call, request, command, caller, remote, role }) => {
    const end = ends.get(call);
    expect([end?.['request'], end?.['command'], typeof end?.['ms']]).toEqual([request, command, 'number']);
    expect([caller, remote, role]).toEqual(['start', '127.0.0.1', 'admin']);
    return [command, end?.['outcome']];
  });
}

scenario('audit-complete', 'a request, a run, a line and a task each write a start and an end', async () => {
  await server.run(SCAN, { profile_name: 'prod', prompt: 'my private words' });
  const run = await server.run(LIST, {}, { headers: { prefer: 'respond-async' } });
  await server.send(run.json.eventsUrl);
  const { url } = (await server.send('/v1/sessions', { method: 'POST', body: {} })).json;
  await server.send(`${url}/lines`, { method: 'POST', body: { line: `!${LIST} limit=1` } });
  await server.send(`${url}/lines`, { method: 'POST', body: { line: `!${SCAN} profile_name=prod prompt="my words"` } });
  const inputs = { playbook: playbookOf(LIST) };
  const rehearsal = await server.send('/v1/playbooks/rehearse', { method: 'POST', body: inputs });
  await server.send(rehearsal.json.eventsUrl);
  expect(await ended()).toEqual([SCAN, LIST, LIST, SCAN, LIST].map((command) => [command, 'done']));
  for (const { request } of written('start')) {
    await until(async () => written('request').some(({ id }) => id === request));
  }
  expect(written('start').map((line) => line['arguments'])).toMatchObject([
    { profile_name: 'prod', prompt: '(hidden)' },
    {},
    { limit: '1' },
    { prompt: '(hidden)' },
    {},
  ]);
  for (const secret of ['my private words', 'my words', TOKEN]) expect(text()).not.toContain(secret);
});

scenario('audit-complete', 'a command that fails or is unknown has its code in the end line', async () => {
  const { url } = (await server.send('/v1/sessions', { method: 'POST', body: {} })).json;
  const say = (line: string) => server.send(`${url}/lines`, { method: 'POST', body: { line } });
  await say(`!${CREATE} topic_name=x`);
  await say('!my-secret-word prompt=x my words');
  expect(await ended()).toEqual([
    [CREATE, 'arguments'],
    ['(unknown)', 'usage'],
  ]);
  expect(text()).not.toMatch(/my-secret-word|my words/);
});

scenario(
  'audit-complete',
  'a reference shows the identifier that it resolves to, and hides everything else',
  async () => {
    const { url } = (await server.send('/v1/sessions', { method: 'POST', body: {} })).json;
    const say = (line: string) => server.send(`${url}/lines`, { method: 'POST', body: { line } });
    const { json } = await say(`!${LIST} limit=1`);
    const [topic] = [json.result.outputs['AiSec.Topic']].flat();
    await say('!aisec-runtime-topics-get topic_id=${AiSec.Topic.topic_id}');
    await say('!aisec-runtime-topics-get topic_id=${AiSec.Topic.description}');
    expect(written('start').map((line) => line['arguments'])).toEqual([
      { limit: '1' },
      { topic_id: topic.topic_id },
      { topic_id: '${AiSec.Topic.description}' },
    ]);
  },
);

scenario('audit-complete', 'a command whose client disconnected has an end line', async () => {
  await server.close();
  server = await start({ auditFile, client: { simulate: { latencyMs: 600_000 } } });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const sent = httpRequest(new URL(`/v1/commands/${LIST}`, server.url), { method: 'POST', headers, agent: false });
  sent.on('error', () => undefined).end('{}');
  await until(async () => text().includes('"start"'));
  sent.destroy();
  await until(async () => text().includes('"end"'));
  expect(await ended()).toEqual([[LIST, 'cancelled']]);
});

scenario('audit-complete', 'a stopped service writes the end of each command that it stops', async () => {
  await server.close();
  server = await start({ auditFile, graceMs: 0, client: { simulate: { latencyMs: 600_000 } } });
  await server.run(LIST, {}, { headers: { prefer: 'respond-async' } });
  await until(async () => text().includes('"start"'));
  await server.close();
  expect(await ended()).toEqual([[LIST, 'cancelled']]);
});

const canMount = (() => {
  const place = temporaryFolder('audit');
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place]);
  if (status === 0) spawnSync('umount', [place]);
  return status === 0;
})();

(canMount ? describe : describe.skip)('On a full disk', () => {
  scenario('audit-complete', 'a change is refused before it starts, also as a line, and reads continue', async () => {
    const place = temporaryFolder('audit');
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place]);
    const full = await start({ auditFile: join(place, 'audit.jsonl') });
    try {
      const { url } = (await full.send('/v1/sessions', { method: 'POST', body: {} })).json;
      writeFileSync(join(place, 'filler'), Buffer.alloc(56 * 1024));
      const fill = 'x'.repeat(150);
      for (let count = 0; count < 60; count += 1) await full.run(LIST, { search: fill });
      const topic = { topic_name: 'Full', description: 'B', examples: ['c', 'd'] };
      const answers = [
        await full.run(CREATE, topic),
        await full.send(`${url}/lines`, {
          method: 'POST',
          body: { line: `!${CREATE} topic_name=Full description=B examples=c,d` },
        }),
      ];
      expect(answers.map(({ status, json }) => [status, json.code])).toEqual(answers.map(() => [503, 'configuration']));
      const { json, status } = await full.run(LIST, { limit: 1000 });
      expect([status, JSON.stringify(json.outputs).includes('"Full"')]).toEqual([200, false]);
    } finally {
      await full.close();
      spawnSync('umount', ['-l', place]);
    }
  });
});

/** A playbook with one task. */
function playbookOf(command: string): string {
  const next = (id: string) => ({ nexttasks: { '#none#': [id] } });
  const run = { id: '1', type: 'regular', task: { name: 'Run', script: `|||${command}`, iscommand: true } };
  const tasks = { 0: { id: '0', type: 'start', task: { name: '' }, ...next('1') }, 1: run };
  return JSON.stringify({ name: 'One task', starttaskid: '0', tasks });
}
