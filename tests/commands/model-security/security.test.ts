import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { idOf } from '../goldens.ts';
import { rowsOf } from './rooms.ts';

describe('groups and rules', () => {
  const GROUP = idOf('group');
  const OTHER = idOf('version');

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

  describe('security groups', () => {
    requirement.each([
      { typed: 'MODEL_HUB', sent: 'HUGGING_FACE', recorded: 'MODEL_HUB', rules: 11 },
      { typed: 'LOCAL', sent: 'LOCAL', recorded: 'LOCAL', rules: 7 },
      { typed: 'STORE_A', sent: 'S3', recorded: 'STORE_A', rules: 7 },
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

    requirement('model-group-update-arguments', 'an update that changes nothing is refused', async () => {
      const room = answering(() => ({ answer: {} }));
      const error = await room.fail(`${command('groups-update')} uuid=${GROUP}`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'name' });
      expectNone(room.requests, 'requests');
    });

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

  describe('rule instances', () => {
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
      { args: 'field_values=`["a"]`', argument: 'field_values', says: 'must be an object' },
      { args: 'field_values=`{}`', argument: 'field_values', says: 'field_values' },
    ])('model-rule-instance-update-optional', 'an update with "$args" is refused, and nothing is sent', async (row) => {
      const room = answering(() => ({ answer: {} }));
      const ids = `security_group_uuid=${GROUP} rule_instance_uuid=${OTHER}`;
      const error = await room.fail(`${command('rule-instances-update')} ${ids} ${row.args}`);
      expect(error).toMatchObject({ exitCode: 2, argument: row.argument });
      expect(error.message).toContain(row.says);
      expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
    });
  });
});

describe('labels', () => {
  const GROUP = idOf('group');

  const { scans } = MODEL_SEED_IDS;
  const line = (verb: 'add' | 'set', labels: unknown, scan: string = scans.summarizer) =>
    `!aisec-model-security-labels-${verb} scan_uuid=${scan} labels=\`${JSON.stringify(labels)}\``;
  const deletion = (typed: string) => `!aisec-model-security-labels-delete scan_uuid=${scans.summarizer} keys=${typed}`;
  const creation = (labels: unknown) =>
    `!aisec-model-security-scans-create model_uri=hf://a/b security_group_uuid=${GROUP} labels=\`${JSON.stringify(labels)}\``;

  /** The labels of the scan, as its table shows them. */
  async function labelsOf(room: WarRoom): Promise<string> {
    const { readable } = await room.run(`!aisec-model-security-scans-get uuid=${scans.summarizer}`);
    return readable.notes.join();
  }

  describe('changing labels', () => {
    requirement('model-labels-set-replaces', 'set removes all other labels, and shows what it replaces', async () => {
      const room = warRoom();
      const { readable } = await room.run(
        line('set', [
          { key: 'env', value: 'prod' },
          { key: 'tier', value: '1' },
        ]),
      );
      expect(readable.tables.at(-1)).toEqual({
        title: 'Labels',
        columns: ['Key', 'Before', 'After'],
        rows: [
          ['env', 'staging', 'prod'],
          ['tier', '', '1'],
          ['team', 'nlp', ''],
        ],
      });
      expect(await labelsOf(room)).toBe('Labels: env=prod, tier=1.');
    });
  });

  describe('the rules of labels', () => {
    const fits = (key: number, value: number) => [{ key: 'k'.repeat(key), value: 'v'.repeat(value) }];
    const verbs = [
      { verb: 'add', of: (labels: unknown) => line('add', labels) },
      { verb: 'set', of: (labels: unknown) => line('set', labels) },
      { verb: 'create', of: creation },
    ];
    const rules = [
      {
        what: 'a key of 129 characters',
        labels: fits(129, 1),
        says: '(at 0/key) must have at most 128 characters; it has 129',
      },
      {
        what: 'a value of 257 characters',
        labels: fits(1, 257),
        says: '(at 0/value) must have at most 256 characters',
      },
      { what: 'an empty key', labels: [{ key: '', value: 'v' }], says: 'letters, digits, "_" and "-" only' },
      { what: 'a key with a dot', labels: [{ key: 'a.b', value: 'v' }], says: 'not "a.b"' },
      { what: 'a line break at the end', labels: [{ key: 'k\n', value: 'v' }], says: '(at 0/key)' },
      { what: 'no value', labels: [{ key: 'k' }], says: 'lacks "value"' },
      {
        what: '51 labels',
        labels: Array.from({ length: 51 }, (_, at) => ({ key: `k${at}`, value: 'v' })),
        says: 'at most 50',
      },
      {
        what: 'a duplicate key',
        labels: [
          { key: 'a', value: '1' },
          { key: 'a', value: '2' },
        ],
        says: 'more than one value for: a',
      },
    ];

    requirement.each(
      verbs.flatMap((verb) => rules.slice(0, verb.verb === 'add' ? 99 : 1).map((rule) => ({ ...verb, ...rule }))),
    )(
      ['model-label-key-limits', 'model-label-value-limits', 'model-labels-are-json'],
      '$verb refuses $what and sends nothing',
      async ({ of, labels, says }) => {
        const room = answering(() => ({ answer: {} }));
        const error = await room.fail(of(labels));
        expect(error).toMatchObject({ code: 'arguments', exitCode: 2, argument: 'labels' });
        expect(error.message).toContain(says);
        expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
      },
    );

    test.each(verbs.slice(0, 2))('$verb refuses an empty list, and says how to remove labels', async ({ of }) => {
      const room = answering(() => ({ answer: {} }));
      const error = await room.fail(of([]));
      expect(error).toMatchObject({ exitCode: 2, argument: 'labels', message: 'labels is empty.' });
      expect(error.hint).toContain('aisec-model-security-labels-delete');
      expectNone(room.requests, 'requests');
    });

    requirement.each([
      { typed: ',', says: 'at least 1' },
      { typed: 'a.b', says: 'not "a.b"' },
      { typed: `ok,${'k'.repeat(129)}`, says: 'at most 128' },
      { typed: '`[{"key": "a"}]`', says: 'must be a string' },
      { typed: Array.from({ length: 51 }, (_, at) => `k${at}`).join(), says: 'at most 50' },
    ])(
      ['model-label-key-limits', 'model-labels-delete-key-forms'],
      'delete refuses keys=$typed',
      async ({ typed, says }) => {
        const room = answering(() => ({ answer: {} }));
        const error = await room.fail(deletion(typed));
        expect(error).toMatchObject({ exitCode: 2, argument: 'keys' });
        expect(error.message).toContain(says);
        expectNone(room.requests, 'requests');
      },
    );
  });
});
