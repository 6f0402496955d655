import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { idOf, PLANES } from '../goldens.ts';
import { createLine, EVALUATIONS, type Fields, GET, HUB, rowsOf, scanned } from './rooms.ts';

const DATA = PLANES['models/data'];
const ID = idOf('model');

const { groups } = MODEL_SEED_IDS;

describe('creating a scan', () => {
  requirement.each([
    { state: 'BLOCKING', outcome: 'BLOCKED', evaluated: 'FAILED' },
    { state: 'ALLOWING', outcome: 'ALLOWED', evaluated: 'FAILED' },
    { state: 'DISABLED', outcome: 'ALLOWED', evaluated: undefined },
  ])(
    ['model-rule-state-decides', 'model-scan-against-group'],
    'with a failing rule in the state $state the scan is $outcome',
    async ({ state, outcome, evaluated }) => {
      const room = warRoom();
      const instances = await rowsOf(
        room,
        `!aisec-model-security-rule-instances-list security_group_uuid=${groups.hub}`,
        'rule_instances',
      );
      const licence = instances.find(({ rule_name }) => rule_name === 'Licence exists');
      const ids = `security_group_uuid=${groups.hub} rule_instance_uuid=${String(licence?.['uuid'])}`;
      await room.run(`!aisec-model-security-rule-instances-update ${ids} state=${state}`);
      const { uuid, eval_outcome } = await scanned(room, `${HUB}/acme/unlicensed`);
      expect(eval_outcome).toBe(outcome);
      const evaluations = await rowsOf(room, `${EVALUATIONS} scan_uuid=${String(uuid)}`, 'evaluations');
      expect(evaluations.find(({ rule_name }) => rule_name === 'Licence exists')?.['result']).toBe(evaluated);
    },
  );

  requirement(
    ['model-scan-starts-pending', 'model-scan-polled', 'model-scan-origin-default'],
    'returns at once with PENDING and the default origin, and can be polled until it ends',
    async () => {
      const room = warRoom();
      const created = await room.value(createLine(`${HUB}/acme/classifier`));
      expect(created).toMatchObject({ eval_outcome: 'PENDING', scan_origin: 'MODEL_SECURITY_API', total_rules: null });
      expectNone(room.clock.waits, 'waits');
      const outcome = async () => (await room.value(`${GET} uuid=${String(created['uuid'])}`))['eval_outcome'];
      expect(await outcome()).toBe('PENDING');
      room.clock.advance(4999);
      expect(await outcome()).toBe('PENDING');
      room.clock.advance(1);
      expect(await outcome()).toBe('ALLOWED');
    },
  );

  requirement.each([
    { uri: `${HUB}/acme/m`, group: groups.hub, source: 'MODEL_HUB', ends: 'ALLOWED', notes: 0 },
    { uri: 'hf://acme/m', group: groups.hub, source: 'MODEL_HUB', ends: 'ALLOWED', notes: 0 },
    { uri: 's3://bucket/m', group: groups.storeA, source: 'STORE_A', ends: 'ALLOWED', notes: 0 },
    { uri: 'gs://bucket/m', group: groups.storeB, source: 'STORE_B', ends: 'ALLOWED', notes: 0 },
    { uri: 'https://acme.blob.example.com/m', group: groups.storeC, source: 'STORE_C', ends: 'ALLOWED', notes: 0 },
    { uri: '/models/m', group: groups.local, source: 'LOCAL', ends: 'ERROR', notes: 1 },
    { uri: './m', group: groups.local, source: 'LOCAL', ends: 'ERROR', notes: 1 },
    { uri: 'file:///models/m', group: groups.local, source: 'LOCAL', ends: 'ERROR', notes: 1 },
    { uri: "'C:\\models\\m'", group: groups.local, source: 'LOCAL', ends: 'ERROR', notes: 1 },
  ])(
    ['model-scan-uri-forms', 'model-source-tokens', 'model-scan-against-group'],
    '$uri has the source $source, with $notes notes that the service cannot read it',
    async ({ uri, group, source, ends, notes }) => {
      const room = warRoom();
      const { readable, writes } = await room.run(createLine(uri, '', group));
      expect(writes[0]?.value).toMatchObject({ eval_outcome: 'PENDING', source_type: source });
      expect(readable.notes.filter((note) => note.includes('cannot read a local path'))).toHaveLength(notes);
      expect((await scanned(room, uri, '', group))['eval_outcome']).toBe(ends);
    },
  );

  test('for a security group of another source is refused, with a hint about the source', async () => {
    const error = await warRoom().fail(createLine('s3://bucket/m'));
    expect(error).toMatchObject({ status: 400, exitCode: 2 });
    expect(error.hint).toContain('for the source of this model');
  });

  test('a dry run shows the cost, and starts no scan', async () => {
    const room = warRoom();
    const { readable } = await room.run(createLine(`${HUB}/acme/m`, 'wait=true'), { dryRun: true });
    expect(readable.notes.join(' ')).toContain('One model scan');
    expectNone(room.requests, 'requests');
  });
});

describe('waiting for a scan', () => {
  test('names the model in its progress without the address parts that may be secret', async () => {
    const progress: string[] = [];
    const uri = 'https://ana:hunter2@hub.example.com/acme/m?token=hunter2#hunter2';
    const room = warRoom({ jobSeconds: 12 });
    await room.run(createLine(uri, 'wait=true'), { progress: (line) => progress.push(line) });
    expect(progress.join()).toContain('acme/m');
    expect(progress.join()).not.toContain('hunter2');
  });

  scenario(
    'job-record',
    'writes the created scan, then the finished scan; polls after one second, then every five',
    async () => {
      const room = warRoom({ jobSeconds: 12 });
      const progress: string[] = [];
      const { writes, failure } = await room.run(createLine(`${HUB}/unknown-org/pickle`, 'wait=true'), {
        progress: (line) => progress.push(line),
      });
      expect(writes.map(({ path }) => path)).toEqual(['AiSec.ModelSecurityScanCreate', 'AiSec.ModelSecurityScanGet']);
      expect(writes.map(({ value }) => (value as Fields)['eval_outcome'])).toEqual(['BLOCKED', 'BLOCKED']);
      expect(room.clock.waits).toEqual([1000, 5000, 5000, 5000]);
      expect(progress).toHaveLength(4);
      expect(progress[0]).toBe('Model scan of unknown-org/pickle: PENDING');
      expect(failure).toBeUndefined();
    },
  );

  requirement.each([
    { words: 'broken', code: 'WORKER_ERROR' },
    { words: 'private', code: 'ACCESS_DENIED' },
    { words: 'missing', code: 'RESOURCE_NOT_FOUND' },
  ])(
    'model-scan-failure-reported',
    "a scan of a $words model fails with the service's code and message, and the record has both",
    async ({ words, code }) => {
      const room = warRoom();
      const { writes, failure } = await room.run(createLine(`${HUB}/acme/${words}`, 'wait=true'));
      const scan = writes[1]?.value as Fields;
      expect(scan).toMatchObject({ eval_outcome: 'ERROR', error_code: code, total_rules: null });
      expect(failure).toMatchObject({ code: 'service', exitCode: 8 });
      expect(failure?.message).toContain(`${String(scan['uuid'])} failed: ${code}: ${String(scan['error_message'])}`);
    },
  );

  scenario.each([{ outcome: 'ALLOWED' }, { outcome: 'BLOCKED' }, { outcome: 'ERROR' }])(
    'terminal-states',
    'ends at once with $outcome',
    async ({ outcome }) => {
      const room = answering(({ method }) => ({
        answer: { uuid: ID, eval_outcome: method === 'POST' ? 'PENDING' : outcome },
      }));
      const { writes, failure } = await room.run(createLine('hf://a/b', 'wait=true'));
      expect(writes[1]?.value).toMatchObject({ eval_outcome: outcome });
      expect(failure === undefined).toBe(outcome !== 'ERROR');
      expect(room.requests.map(asked).map(({ request }) => request)).toEqual([
        `POST ${DATA}/scans`,
        `GET ${DATA}/scans/${ID}`,
      ]);
    },
  );

  scenario.each([{ outcome: 'QUARANTINED' }, { outcome: 'PENDING' }, { outcome: undefined }])(
    'terminal-states',
    'with the outcome $outcome times out with an error that names the scan and its last outcome',
    async ({ outcome }) => {
      const room = answering(() => ({ answer: { uuid: ID, eval_outcome: outcome } }));
      const { writes, failure } = await room.run(createLine('hf://a/b', 'wait=true timeout=12'));
      expect(failure).toMatchObject({ code: 'timeout', exitCode: 9 });
      expect(failure?.message).toContain(`model scan ${ID}`);
      expect(failure?.message).toContain(outcome ?? 'unknown');
      expect(writes).toMatchObject([
        { path: 'AiSec.ModelSecurityScanCreate', value: { uuid: ID, eval_outcome: outcome ?? null } },
      ]);
      // The create, and polls after 0, 1, 6, 11 and 12 seconds.
      expect(room.requests).toHaveLength(6);
    },
  );

  test('times out after ten minutes by default', async () => {
    const room = warRoom();
    const { failure } = await room.run(createLine(`${HUB}/acme/stuck`, 'wait=true'));
    expect(failure?.message).toContain('600 seconds');
    expect(room.clock.waits).toHaveLength(121);
  });
});

describe('reading a scan', () => {
  test.each([
    { sent: undefined, recorded: [null, null, null] },
    { sent: null, recorded: [null, null, null] },
    { sent: {}, recorded: [0, 0, 0] },
    { sent: { rules_passed: 3, total_rules: 3 }, recorded: [3, 0, 3] },
  ])('a summary of $sent gives the counts $recorded', async ({ sent, recorded }) => {
    const room = answering(() => ({ answer: { uuid: ID, eval_summary: sent } }));
    const scan = (await room.value(`${GET} uuid=${ID}`)) as Fields;
    expect([scan['rules_passed'], scan['rules_failed'], scan['total_rules']]).toEqual(recorded);
  });
});
