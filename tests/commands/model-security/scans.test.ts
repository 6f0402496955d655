import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeTypeChanges, describeWrongRoots } from '../runtime/answers.ts';
import { describeGoldens } from '../runtime/golden.ts';
import { DATA, GROUP, ID } from './goldens/addresses.ts';
import { goldens, keys } from './goldens/scans.ts';
import { CREATE, createLine, EVALUATIONS, FILES, type Fields, GET, HUB, rowsOf, scanned, VIOLATIONS } from './rooms.ts';

const { scans, groups } = MODEL_SEED_IDS;
const LIST = '!aisec-model-security-scans-list';

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-model-security-scans', keys, goldens });

  const page = (path: string) => `GET ${DATA}/scans${path}?skip=0&limit=50`;
  const list = { request: page('') };
  const violations = { request: page(`/${ID}/rule-violations`) };
  const get = { request: `GET ${DATA}/scans/${ID}` };
  const body = { model_uri: 'm', security_group_uuid: GROUP, scan_origin: 'MODEL_SECURITY_API' };
  const create = { request: `POST ${DATA}/scans`, body };
  const creation = `${CREATE} model_uri=m security_group_uuid=${GROUP}`;
  describeTypeChanges([
    { line: LIST, script: [{ ...list, answer: { scans: {} } }], path: '"scans"' },
    { line: LIST, script: [{ ...list, answer: { scans: [{ uuid: ['x'] }] } }], path: 'AiSec.ModelSecurityScan.uuid' },
    {
      line: `${GET} uuid=${ID}`,
      script: [{ ...get, answer: { eval_summary: { total_rules: 'many' } } }],
      path: 'AiSec.ModelSecurityScanGet.total_rules',
    },
    { line: creation, script: [{ ...create, answer: {} }], path: 'AiSec.ModelSecurityScanCreate.uuid' },
    { line: creation, script: [{ ...create, answer: { uuid: ID, labels: 'env' } }], path: 'ScanCreate.labels' },
    {
      line: `${VIOLATIONS} uuid=${ID}`,
      script: [{ ...violations, answer: { violations: [{ file: {} }] } }],
      path: 'AiSec.ModelSecurityViolation.violations[0].file',
    },
  ]);
  describeWrongRoots([
    { line: LIST, script: [list] },
    { line: `${GET} uuid=${ID}`, script: [get] },
    { line: creation, script: [create] },
    { line: `${VIOLATIONS} uuid=${ID}`, script: [violations] },
  ]);

  test('a second list updates known scans and adds new scans', async () => {
    const room = warRoom();
    await room.run(LIST);
    const { uuid } = await room.value(createLine(`${HUB}/acme/new`));
    await room.run(LIST);
    room.clock.advance(5000);
    await room.run(LIST);
    const { ModelSecurityScan: listed } = room.context['AiSec'] as { ModelSecurityScan: Fields[] };
    expect(listed).toHaveLength(Object.keys(scans).length + 1);
    expect(listed.find((one) => one['uuid'] === uuid)).toMatchObject({ eval_outcome: 'ALLOWED' });
  });
});

describe('creating a scan', () => {
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
    { words: 'acme/plain', outcome: 'ALLOWED', failed: 0 },
    { words: 'acme/pickle', outcome: 'BLOCKED', failed: 2 },
    { words: 'acme/keras', outcome: 'BLOCKED', failed: 2 },
    { words: 'acme/backdoor', outcome: 'BLOCKED', failed: 1 },
    { words: 'acme/suspicious', outcome: 'ALLOWED', failed: 2 },
    { words: 'acme/corrupt', outcome: 'ALLOWED', failed: 2 },
    { words: 'acme/unlicensed', outcome: 'BLOCKED', failed: 1 },
    { words: 'acme/research-only', outcome: 'ALLOWED', failed: 1 },
    { words: 'unknown-org/plain', outcome: 'ALLOWED', failed: 1 },
  ])(
    ['model-scan-ends-allowed-or-blocked', 'model-scan-rule-counts-numbers', 'model-scan-against-group'],
    '$words: the default rules give $outcome, $failed of them fail',
    async ({ words, outcome, failed }) => {
      const scan = await scanned(warRoom(), `${HUB}/${words}`);
      expect(scan).toMatchObject({ eval_outcome: outcome, rules_failed: failed, total_rules: 10 });
      expect(Number(scan['rules_passed']) + failed).toBe(10);
    },
  );

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

  test('for a group of another source is refused, with a hint about the source', async () => {
    const error = await warRoom().fail(createLine('s3://bucket/m'));
    expect(error).toMatchObject({ status: 400, exitCode: 2 });
    expect(error.hint).toContain('for the source of this model');
  });

  requirement.each([
    { missing: 'model_uri', line: `${CREATE} security_group_uuid=${GROUP}` },
    { missing: 'security_group_uuid', line: `${CREATE} model_uri=m` },
  ])('model-scan-needs-uri-and-group', 'without $missing sends nothing', async ({ line, missing }) => {
    const room = warRoom();
    expect(await room.fail(line)).toMatchObject({ exitCode: 2, argument: missing });
    expectNone(room.requests, 'requests');
  });

  requirement.each([
    { typed: 'MODEL_SECURITY_SDK', sent: 'MODEL_SECURITY_SDK', recorded: 'MODEL_SECURITY_SDK' },
    { typed: 'MODEL_SECURITY_API', sent: 'MODEL_SECURITY_API', recorded: 'MODEL_SECURITY_API' },
    { typed: 'MODEL_SECURITY_FRONTEND', sent: 'MODEL_SECURITY_FRONTEND', recorded: 'MODEL_SECURITY_FRONTEND' },
    { typed: 'MODEL_HUB', sent: 'HUGGING_FACE', recorded: 'MODEL_HUB' },
    { typed: 'HUGGING_FACE', sent: 'HUGGING_FACE', recorded: 'MODEL_HUB' },
  ])(
    'model-scan-origins',
    'the origin $typed travels as $sent and is recorded as $recorded',
    async ({ typed, sent, recorded }) => {
      const room = warRoom();
      const created = await room.value(createLine(`${HUB}/acme/m`, `scan_origin=${typed}`));
      expect(JSON.parse(room.requests.at(-1)?.body ?? '')).toMatchObject({ scan_origin: sent });
      const got = await room.value(`${GET} uuid=${String(created['uuid'])}`);
      const [listed] = await room.values(LIST);
      expect([created, got, listed].map((one) => one?.['scan_origin'])).toEqual([recorded, recorded, recorded]);
    },
  );

  requirement(
    ['model-scan-metadata', 'model-catalog-scanned-versions'],
    'records the model under the given name and version',
    async () => {
      const room = warRoom();
      await scanned(room, `${HUB}/acme/m`, 'model_name="My model" model_author=ana model_version=v7');
      expect(JSON.parse(room.requests.find(({ url }) => url.endsWith('/scans'))?.body ?? '')).toMatchObject({
        model_name: 'My model',
        model_author: 'ana',
        model_version: 'v7',
      });
      const [model] = await room.values('!aisec-model-security-models-list search_query="my model"');
      expect(model).toMatchObject({ name: 'My model', latest_version_revision: 'v7' });
    },
  );

  requirement(
    ['model-scan-create-labels', 'model-scan-labels-tag-scans'],
    'accepts labels as JSON, and returns them with the scan',
    async () => {
      const room = warRoom();
      const labels = [{ key: 'env', value: 'prod' }];
      const more = `labels=\`${JSON.stringify(labels)}\``;
      const created = await room.value(createLine(`${HUB}/acme/m`, more));
      expect(created['labels']).toEqual(labels);
      const { readable } = await room.run(`${GET} uuid=${String(created['uuid'])}`);
      expect(readable.notes).toEqual(['Labels: env=prod.']);
    },
  );

  test('a dry run shows the cost, and starts no scan', async () => {
    const room = warRoom();
    const { readable } = await room.run(createLine(`${HUB}/acme/m`, 'wait=true'), { dryRun: true });
    expect(readable.notes.join(' ')).toContain('One model scan');
    expectNone(room.requests, 'requests');
  });
});

describe('waiting for a scan', () => {
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

  test('polls at the given interval', async () => {
    const room = warRoom({ jobSeconds: 4 });
    await room.run(createLine(`${HUB}/acme/m`, 'wait=true interval=2'));
    expect(room.clock.waits).toEqual([1000, 2000, 2000]);
  });

  requirement.each([
    { words: 'broken', code: 'WORKER_ERROR' },
    { words: 'private', code: 'ACCESS_DENIED' },
    { words: 'missing', code: 'RESOURCE_NOT_FOUND' },
  ])(
    'model-scan-failure-reported',
    'a scan of a $words model fails with its code and message, and its record has both',
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
    'with the outcome $outcome ends at the time-out with the scan and its last outcome',
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
  requirement(
    [
      'model-scan-file-counts',
      'model-scan-formats',
      'model-scan-start-date',
      'model-scan-scanner-version',
      'model-scan-rule-count-snapshot',
    ],
    'has counts, formats, start, scanner version and number of rules',
    async () => {
      const room = warRoom();
      const scan = await scanned(room, `${HUB}/acme/pickle`);
      expect(scan).toMatchObject({
        total_files_scanned: 4,
        total_files_skipped: 1,
        model_formats: ['pickle', 'safetensors'],
        time_started: '2026-11-21T12:00:00Z',
        scanner_version: expect.stringMatching(/^\d+\.\d+/),
        enabled_rule_count_snapshot: 10,
        created_at: '2026-11-21T12:00:00.000460Z',
      });
    },
  );

  requirement(
    ['model-scan-results-on-completion', 'model-scan-records-findings'],
    'a finished scan has counts, evaluations, violations and files; a running scan has none of them',
    async () => {
      const room = warRoom();
      const { uuid } = await room.value(createLine(`${HUB}/acme/pickle`));
      const id = String(uuid);
      const found = async () => [
        (await room.value(`${GET} uuid=${id}`))['total_rules'],
        (await rowsOf(room, `${EVALUATIONS} scan_uuid=${id}`, 'evaluations')).length,
        (await rowsOf(room, `${VIOLATIONS} uuid=${id}`, 'violations')).length,
        (await rowsOf(room, `${FILES} scan_uuid=${id}`, 'files')).length,
      ];
      expect(await found()).toEqual([null, 0, 0, 0]);
      room.clock.advance(5000);
      expect(await found()).toEqual([10, 10, 2, 6]);
    },
  );

  requirement('model-scan-list-outcomes', 'listed scans have their outcomes, newest first', async () => {
    const listed = await warRoom().values(LIST);
    expect(listed.map(({ eval_outcome }) => eval_outcome)).toEqual([
      'ALLOWED',
      'BLOCKED',
      'ERROR',
      'BLOCKED',
      'ALLOWED',
      'ALLOWED',
    ]);
    expect(new Set(listed.map(({ source_type }) => source_type))).toEqual(
      new Set(['MODEL_HUB', 'STORE_A', 'STORE_B', 'LOCAL']),
    );
  });

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
