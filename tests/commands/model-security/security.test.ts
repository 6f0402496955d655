import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeTypeChanges, describeWrongRoots } from '../runtime/answers.ts';
import { describeGoldens } from '../runtime/golden.ts';
import { GROUP, ID, MGMT, OTHER } from './goldens/addresses.ts';
import {
  customWire,
  groups as groupGoldens,
  groupKeys,
  instanceKeys,
  instances,
  ruleKeys,
  rules,
} from './goldens/security.ts';
import { type Fields, rowsOf } from './rooms.ts';

const { groups } = MODEL_SEED_IDS;
const command = (rest: string) => `!aisec-model-security-${rest}`;
const LIST = command('groups-list');
const CREATE = command('groups-create');
const INSTANCES = command('rule-instances-list');

const getLine = (uuid: unknown) => `${command('groups-get')} uuid=${String(uuid)}`;
const deleteLine = (uuid: unknown) => `${command('groups-delete')} uuid=${String(uuid)}`;

/** Ids of a rule instance of the production group, as arguments. */
async function idsOf(room: WarRoom, rule: string): Promise<string> {
  const rows = await rowsOf(room, `${INSTANCES} security_group_uuid=${groups.production}`, 'rule_instances');
  const found = rows.find(({ rule_name }) => rule_name === rule);
  return `security_group_uuid=${groups.production} rule_instance_uuid=${String(found?.['uuid'])}`;
}

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-model-security-groups', keys: groupKeys, goldens: groupGoldens });
  describeGoldens({ prefix: 'aisec-model-security-rules', keys: ruleKeys, goldens: rules });
  describeGoldens({ prefix: 'aisec-model-security-rule-instances', keys: instanceKeys, goldens: instances });

  const list = { request: `GET ${MGMT}/security-rules?skip=0&limit=50` };
  const get = { request: `GET ${MGMT}/security-groups/${ID}` };
  describeTypeChanges([
    { line: command('rules-list'), script: [{ ...list, answer: { rules: {} } }], path: '"rules"' },
    {
      line: getLine(ID),
      script: [{ ...get, answer: { is_tombstone: 'maybe' } }],
      path: 'AiSec.ModelSecurityGroupGet.is_tombstone',
    },
  ]);
  describeWrongRoots([
    { line: command('rules-list'), script: [list] },
    { line: getLine(ID), script: [get] },
  ]);

  scenario.each([
    { what: '204', answer: { status: 204 } },
    { what: 'an empty object', answer: { answer: {} } },
    { what: 'a text', answer: { text: 'successfully deleted' } },
  ])('delete-bodies', 'a group is deleted when the service answers $what', async ({ answer }) => {
    await scripted([{ request: `DELETE ${MGMT}/security-groups/${ID}`, ...answer }], async (room) => {
      expect(await room.value(deleteLine(ID))).toEqual({ uuid: ID, deleted: true });
    });
  });
});

describe('security groups', () => {
  requirement.each([
    { typed: 'MODEL_HUB', sent: 'HUGGING_FACE', recorded: 'MODEL_HUB', rules: 11 },
    { typed: 'LOCAL', sent: 'LOCAL', recorded: 'LOCAL', rules: 7 },
    { typed: 'STORE_A', sent: 'S3', recorded: 'STORE_A', rules: 7 },
    { typed: 'STORE_B', sent: 'GCS', recorded: 'STORE_B', rules: 7 },
    { typed: 'STORE_C', sent: 'AZURE', recorded: 'STORE_C', rules: 7 },
    { typed: 'GCS', sent: 'GCS', recorded: 'STORE_B', rules: 7 },
  ])(
    ['model-source-tokens', 'model-group-values', 'model-group-holds-rule-instances', 'model-group-create-arguments'],
    'of the source $typed is sent as $sent, recorded as $recorded, and has $rules rule instances',
    async ({ typed, sent, recorded, rules: count }) => {
      const room = warRoom();
      const created = await room.value(`${CREATE} name=g source_type=${typed}`);
      expect(JSON.parse(room.requests.at(-1)?.body ?? '')).toEqual({ name: 'g', source_type: sent });
      const updated = await room.value(`${command('groups-update')} uuid=${String(created['uuid'])} name=h`);
      const got = await room.value(getLine(created['uuid']));
      const listed = (await room.values(LIST)).find(({ uuid }) => uuid === created['uuid']);
      expect([created, updated, got, listed].map((one) => one?.['source_type'])).toEqual(Array(4).fill(recorded));
      const rows = await room.value(`${INSTANCES} security_group_uuid=${String(created['uuid'])}`);
      expect(rows).toMatchObject({ total_items: count });
    },
  );

  test('an unknown source is sent as typed and recorded as returned', async () => {
    const room = answering(() => ({ answer: { source_type: 'GITLAB' } }));
    expect(await room.value(`${CREATE} name=g source_type=ARTIFACTORY`)).toMatchObject({ source_type: 'GITLAB' });
    expect(room.requests.map(asked)[0]?.body).toEqual({ name: 'g', source_type: 'ARTIFACTORY' });
  });

  requirement(
    ['model-group-starts-pending', 'model-group-becomes-active', 'model-group-values'],
    'a new group is PENDING, and ACTIVE after a while',
    async () => {
      const room = warRoom();
      const { uuid, state } = await room.value(`${CREATE} name=g source_type=LOCAL description="For tests."`);
      expect(state).toBe('PENDING');
      expect(await room.value(getLine(uuid))).toMatchObject({ state: 'PENDING', description: 'For tests.' });
      room.clock.advance(5000);
      expect(await room.value(getLine(uuid))).toMatchObject({ state: 'ACTIVE' });
    },
  );

  requirement('model-group-becomes-active', 'updating a rule instance makes its group ACTIVE at once', async () => {
    const room = warRoom();
    const { uuid } = await room.value(`${CREATE} name=g source_type=LOCAL`);
    const [first] = await rowsOf(room, `${INSTANCES} security_group_uuid=${String(uuid)}`, 'rule_instances');
    const ids = `security_group_uuid=${String(uuid)} rule_instance_uuid=${String(first?.['uuid'])}`;
    await room.run(`${command('rule-instances-update')} ${ids} state=ALLOWING`);
    expect(await room.value(getLine(uuid))).toMatchObject({ state: 'ACTIVE' });
  });

  requirement.each([
    { line: `${CREATE} source_type=LOCAL`, argument: 'name' },
    { line: `${CREATE} name=g`, argument: 'source_type' },
    { line: `${CREATE} name=${'n'.repeat(256)} source_type=LOCAL`, argument: 'name' },
    { line: `${CREATE} name=g source_type=LOCAL description=${'d'.repeat(1001)}`, argument: 'description' },
    { line: `${command('groups-update')} uuid=${GROUP}`, argument: 'name' },
  ])(
    ['model-group-create-arguments', 'model-group-update-arguments'],
    'refuses $argument if it is missing or too long, and sends nothing',
    async ({ line, argument }) => {
      const room = answering(() => ({ answer: {} }));
      expect(await room.fail(line)).toMatchObject({ exitCode: 2, argument });
      expectNone(room.requests, 'requests');
    },
  );

  requirement.each([
    { args: 'name=New', name: 'New', description: 'What may go live.' },
    { args: 'description=New', name: 'Production models', description: 'New' },
    { args: 'name=A description=B', name: 'A', description: 'B' },
  ])('model-group-update-arguments', 'an update with $args keeps the rest', async ({ args, name, description }) => {
    const room = warRoom();
    const value = await room.value(`${command('groups-update')} uuid=${groups.production} ${args}`);
    expect(value).toMatchObject({ name, description, state: 'ACTIVE' });
  });

  requirement(
    ['model-group-delete-confirms', 'model-group-tombstone'],
    'a deleted group is confirmed, is not listed, and is marked as deleted when read by its id',
    async () => {
      const room = warRoom();
      expect(await room.value(getLine(groups.storeC))).toMatchObject({ is_tombstone: false });
      expect(await room.value(deleteLine(groups.storeC))).toEqual({ uuid: groups.storeC, deleted: true });
      const listed = await room.values(LIST);
      expect(listed.map(({ is_tombstone }) => is_tombstone)).toEqual(Array(5).fill(false));
      expect(listed.map(({ uuid }) => uuid)).not.toContain(groups.storeC);
      expect(await room.value(getLine(groups.storeC))).toMatchObject({ is_tombstone: true });
      expect(await room.fail(deleteLine(groups.storeC))).toMatchObject({ code: 'not-found' });
    },
  );

  test('a PENDING group cannot be deleted yet, and the hint says how long to wait', async () => {
    const room = warRoom();
    const { uuid } = await room.value(`${CREATE} name=g source_type=LOCAL`);
    const error = await room.fail(deleteLine(uuid));
    expect(error).toMatchObject({ code: 'conflict', exitCode: 5, status: 409 });
    expect(error.hint).toMatch(/PENDING.*groups-get shows ACTIVE/);
    room.clock.advance(5000);
    expect(await room.value(deleteLine(uuid))).toMatchObject({ deleted: true });
  });
});

describe('security rules', () => {
  requirement(
    ['model-rule-values', 'model-rule-get-adds-remediation', 'model-source-tokens'],
    'have a type, a default state and neutral sources; a single one adds remediation and values',
    async () => {
      const room = warRoom();
      const listed = await room.values(command('rules-list'));
      expect(new Set(listed.map(({ rule_type }) => rule_type))).toEqual(new Set(['ARTIFACT', 'METADATA']));
      expect(new Set(listed.map(({ default_state }) => default_state))).toEqual(
        new Set(['DISABLED', 'ALLOWING', 'BLOCKING']),
      );
      expect(new Set(listed.flatMap((rule) => rule['compatible_sources']))).toEqual(new Set(['ALL', 'MODEL_HUB']));
      const formats = listed.find(({ name }) => name === 'Approved file formats');
      expect(await room.value(`${command('rules-get')} uuid=${String(formats?.['uuid'])}`)).toEqual({
        ...formats,
        remediation_description: 'Convert the weights to an approved format.',
        remediation_steps: ['Convert the weights to an approved format.'],
        remediation_url: 'https://docs.example.com/model-rules/approved-formats',
        editable_fields: [expect.objectContaining({ attribute_name: 'approved_formats' })],
        constant_values: {},
        default_values: { approved_formats: ['safetensors', 'gguf', 'onnx'] },
      });
    },
  );
});

describe('rule instances', () => {
  requirement('model-rule-instances-wrapped', 'are one array beside group, total, limit and offset', async () => {
    const room = warRoom();
    const { writes, readable } = await room.run(
      `${INSTANCES} security_group_uuid=${groups.production} limit=3 offset=9`,
    );
    const value = writes[0]?.value as Fields & { rule_instances: Fields[] };
    expect(value).toMatchObject({ security_group_uuid: groups.production, total_items: 12, limit: 3, offset: 9 });
    expect(value.rule_instances.map(({ rule_name, rule_type }) => [rule_name, rule_type])).toEqual([
      ['Verified organization', 'METADATA'],
      ['Denied organizations', 'METADATA'],
      ['Not in quarantine', null],
    ]);
    expect(readable.tables[1]?.rows).toHaveLength(3);
  });

  requirement('model-rule-instances-by-rule', 'rule_uuid selects the instances of one rule', async () => {
    const room = warRoom();
    const [rule] = await room.values(`${command('rules-list')} limit=1`);
    const line = `${INSTANCES} security_group_uuid=${groups.production} security_rule_uuid=${String(rule?.['uuid'])}`;
    const rows = await rowsOf(room, line, 'rule_instances');
    expect(rows.map((row) => row['security_rule_uuid'])).toEqual([rule?.['uuid']]);
  });

  requirement.each([
    { state: 'DISABLED', count: 1 },
    { state: 'ALLOWING', count: 4 },
    { state: 'BLOCKING', count: 7 },
  ])('model-rule-instances-by-state', 'in the state $state are $count', async ({ state, count }) => {
    const line = `${INSTANCES} security_group_uuid=${groups.production} state=${state}`;
    const rows = await rowsOf(warRoom(), line, 'rule_instances');
    expect(rows.map((row) => row['state'])).toEqual(Array(count).fill(state));
  });

  requirement(
    'model-rule-instance-two-ids',
    'a rule instance is read by the ids of its group and its own',
    async () => {
      const room = warRoom();
      const ids = await idsOf(room, 'Not in quarantine');
      const custom = await room.value(`${command('rule-instances-get')} ${ids}`);
      expect(custom).toMatchObject({ rule_name: 'Not in quarantine', security_rule_uuid: null, rule_type: null });
      const elsewhere = ids.replace(groups.production, groups.hub);
      expect(await room.fail(`${command('rule-instances-get')} ${elsewhere}`)).toMatchObject({ code: 'not-found' });
    },
  );

  const states = ['DISABLED', 'ALLOWING', 'BLOCKING'];
  requirement.each(states.flatMap((from) => states.map((to) => ({ from, to }))))(
    ['model-rule-instance-update-state', 'model-rule-instance-two-ids'],
    'a rule instance changes from $from to $to',
    async ({ from, to }) => {
      const room = warRoom();
      const ids = await idsOf(room, 'No backdoor');
      await room.run(`${command('rule-instances-update')} ${ids} state=${from}`);
      expect(await room.value(`${command('rule-instances-update')} ${ids} state=${to}`)).toMatchObject({ state: to });
      expect(await room.value(`${command('rule-instances-get')} ${ids}`)).toMatchObject({ state: to });
    },
  );

  requirement(
    'model-rule-instance-update-unknown',
    'a rule instance that does not exist cannot be updated',
    async () => {
      const room = warRoom();
      const ids = `security_group_uuid=${groups.production} rule_instance_uuid=${OTHER}`;
      for (const change of ['state=BLOCKING', 'field_values=`{"deny_orgs": []}`']) {
        const error = await room.fail(`${command('rule-instances-update')} ${ids} ${change}`);
        expect(error).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
      }
    },
  );

  requirement(
    ['model-rule-instance-field-values', 'model-rule-instance-update-optional'],
    'new values are added to existing values, and the table shows both',
    async () => {
      const room = warRoom();
      const ids = await idsOf(room, 'Denied organizations');
      const { readable } = await room.run(
        `${command('rule-instances-update')} ${ids} field_values=\`{"approved_org_models": ["unknown-org/ok"]}\``,
      );
      expect(readable.tables.at(-1)).toMatchObject({
        title: 'Field Values',
        rows: [
          ['deny_orgs', 'unknown-org', 'unknown-org'],
          ['approved_org_models', '', 'unknown-org/ok'],
        ],
      });
      expect(await room.value(`${command('rule-instances-get')} ${ids}`)).toMatchObject({
        state: 'BLOCKING',
        field_values: { deny_orgs: ['unknown-org'], approved_org_models: ['unknown-org/ok'] },
      });
    },
  );

  requirement.each([
    { args: '', argument: 'state', says: 'Give state or field_values.' },
    { args: 'state=MONITORING', argument: 'state', says: 'does not take "MONITORING"' },
    { args: 'state=blocked', argument: 'state', says: 'does not take "blocked"' },
    { args: 'field_values=`["a"]`', argument: 'field_values', says: 'must be an object' },
    { args: 'field_values=`{}`', argument: 'field_values', says: 'field_values' },
    { args: 'field_values=`{"a": [}`', argument: 'field_values', says: 'is not valid JSON' },
    { args: 'field_values=`{"__proto__": []}`', argument: 'field_values', says: 'is not valid JSON' },
  ])('model-rule-instance-update-optional', 'an update with "$args" is refused, and nothing is sent', async (row) => {
    const room = answering(() => ({ answer: {} }));
    const ids = `security_group_uuid=${GROUP} rule_instance_uuid=${OTHER}`;
    const error = await room.fail(`${command('rule-instances-update')} ${ids} ${row.args}`);
    expect(error).toMatchObject({ exitCode: 2, argument: row.argument });
    expect(error.message).toContain(row.says);
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });

  test('the service refuses an unknown field, and names its position', async () => {
    const room = warRoom();
    const ids = await idsOf(room, 'Denied organizations');
    const error = await room.fail(`${command('rule-instances-update')} ${ids} field_values=\`{"threshold": ["1"]}\``);
    expect(error).toMatchObject({ status: 422, exitCode: 2 });
    expect(error.message).toContain('field_values.threshold: must be one of approved_formats');
  });

  test('list, get and update work with a custom rule among the instances', async () => {
    const room = answering(() => ({
      answer: { ...customWire, rule_instances: [customWire, { rule: null }], pagination: {} },
    }));
    const ids = `security_group_uuid=${GROUP} rule_instance_uuid=${OTHER}`;
    const named = { rule_name: 'Not in quarantine' };
    expect(await room.value(`${INSTANCES} security_group_uuid=${GROUP}`)).toMatchObject({
      rule_instances: [named, { rule_name: null }],
    });
    expect(await room.value(`${command('rule-instances-get')} ${ids}`)).toMatchObject(named);
    expect(await room.value(`${command('rule-instances-update')} ${ids} state=BLOCKING`)).toMatchObject(named);
  });
});
