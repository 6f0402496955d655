import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { describeTypeChanges, describeWrongRoots } from '../runtime/answers.ts';
import { describeGoldens } from '../runtime/golden.ts';
import { DATA, GROUP, ID } from './goldens/addresses.ts';
import { goldens, keys } from './goldens/labels.ts';

const { scans } = MODEL_SEED_IDS;
const KEYS = '!aisec-model-security-labels-keys';
const VALUES = '!aisec-model-security-labels-values';
const line = (verb: 'add' | 'set', labels: unknown, scan: string = scans.summarizer) =>
  `!aisec-model-security-labels-${verb} scan_uuid=${scan} labels=\`${JSON.stringify(labels)}\``;
const deletion = (typed: string) => `!aisec-model-security-labels-delete scan_uuid=${scans.summarizer} keys=${typed}`;
const creation = (labels: unknown) =>
  `!aisec-model-security-scans-create model_uri=hf://a/b security_group_uuid=${GROUP} labels=\`${JSON.stringify(labels)}\``;

/** The labels of the scan, as shown in the table of the scan. */
async function labelsOf(room: WarRoom): Promise<string> {
  const { readable } = await room.run(`!aisec-model-security-scans-get uuid=${scans.summarizer}`);
  return readable.notes.join();
}

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-model-security-labels', keys, goldens });

  const request = `GET ${DATA}/scans/label-keys?skip=0&limit=50`;
  describeTypeChanges([{ line: KEYS, script: [{ request, answer: { keys: 'env' } }], path: '"keys"' }]);
  describeTypeChanges([{ line: KEYS, script: [{ request, answer: { keys: [1] } }], path: '"keys"' }]);
  describeWrongRoots([{ line: KEYS, script: [{ request }] }]);

  test.each([
    { body: 'an empty object', answer: {} },
    { body: 'nothing', answer: undefined },
  ])('labels are set when the service answers $body', async ({ answer }) => {
    const labels = [{ key: 'a', value: 'b' }];
    const script = [
      { request: `GET ${DATA}/scans/${ID}`, answer: { uuid: ID } },
      { request: `PUT ${DATA}/scans/${ID}/labels`, body: { labels }, answer },
    ];
    await scripted(script, async (room) => {
      expect(await room.value(line('set', labels, ID))).toEqual({ scan_uuid: ID, labels_set: labels, success: true });
    });
  });
});

describe('keys and values of all scans', () => {
  requirement('model-label-keys-distinct', 'lists each key once', async () => {
    expect(await warRoom().value(KEYS)).toMatchObject({ keys: ['env', 'team'], total_items: 2 });
  });

  requirement('model-label-values-of-key', 'values name their key', async () => {
    const room = warRoom();
    expect(await room.value(`${VALUES} key=team`)).toMatchObject({ key: 'team', values: ['nlp', 'risk', 'support'] });
    expect(await room.value(`${VALUES} key=unused`)).toMatchObject({ key: 'unused', values: [] });
  });

  requirement('model-label-lists-paged', 'keys and values have total, limit and offset', async () => {
    const room = warRoom();
    const keysPage = await room.run(`${KEYS} limit=1 offset=1`);
    expect(keysPage.writes[0]?.value).toEqual({ keys: ['team'], total_items: 2, limit: 1, offset: 1 });
    const { writes, readable } = await room.run(`${VALUES} key=team limit=1 offset=1`);
    expect(writes[0]?.value).toEqual({ key: 'team', values: ['risk'], total_items: 3, limit: 1, offset: 1 });
    expect(readable.notes).toEqual(['1 shown, there are 3: continue with offset=2, or a higher limit.']);
  });
});

describe('changing labels', () => {
  requirement('model-labels-add-keeps', 'add keeps other labels and replaces the value of a known key', async () => {
    const room = warRoom();
    await room.run(
      line('add', [
        { key: 'tier', value: '1' },
        { key: 'env', value: 'prod' },
      ]),
    );
    expect(await labelsOf(room)).toBe('Labels: env=prod, team=nlp, tier=1.');
  });

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

  requirement(
    'model-labels-set-replaces',
    'a dry run of set shows what it would replace, and changes nothing',
    async () => {
      const room = warRoom();
      const { readable, planned } = await room.run(line('set', [{ key: 'x', value: 'y' }]), { dryRun: true });
      expect(planned).toBe(true);
      expect(readable.tables.at(-1)?.rows).toEqual([
        ['x', '', 'y'],
        ['env', 'staging', ''],
        ['team', 'nlp', ''],
      ]);
      expect(await labelsOf(room)).toBe('Labels: env=staging, team=nlp.');
    },
  );

  requirement.each(['env', 'env,', ' env , unknown', '`["env"]`', '` ["env", "unknown"]`'].map((typed) => ({ typed })))(
    ['model-labels-delete-named-keys', 'model-labels-delete-key-forms'],
    'delete with keys=$typed takes env away and keeps team',
    async ({ typed }) => {
      const room = warRoom();
      await room.run(deletion(typed.startsWith(' ') ? `"${typed}"` : typed));
      expect(await labelsOf(room)).toBe('Labels: team=nlp.');
    },
  );

  requirement('model-labels-delete-key-forms', 'keys may be a list from the context, including numbers', async () => {
    const room = warRoom();
    await room.run(KEYS);
    const result = await room.value(deletion('${AiSec.ModelSecurityLabelKeys.keys}'));
    expect(result).toMatchObject({ keys_deleted: ['env', 'team'] });
    expect(await labelsOf(room)).toBe('');
    expect(await room.value(deletion('`[1, 2]`'))).toMatchObject({ keys_deleted: ['1', '2'] });
  });

  requirement.each([
    {
      verb: 'add',
      typed: line('add', [{ key: 'a', value: 'b' }]),
      member: 'labels_added',
      what: [{ key: 'a', value: 'b' }],
    },
    {
      verb: 'set',
      typed: line('set', [{ key: 'a', value: 'b' }]),
      member: 'labels_set',
      what: [{ key: 'a', value: 'b' }],
    },
    { verb: 'delete', typed: deletion('env'), member: 'keys_deleted', what: ['env'] },
  ])('model-labels-outcome', '$verb records the scan, the change and success', async ({ typed, member, what }) => {
    expect(await warRoom().value(typed)).toEqual({ scan_uuid: scans.summarizer, [member]: what, success: true });
  });

  test('a list of labels from the context is accepted', async () => {
    const room = warRoom();
    await room.run(line('add', [{ key: 'tier', value: '1' }]));
    const other = `!aisec-model-security-labels-add scan_uuid=${scans.fraud} labels=`;
    const result = await room.value(`${other}\${AiSec.ModelSecurityLabelsAdd.labels_added}`);
    expect(result).toMatchObject({ labels_added: [{ key: 'tier', value: '1' }] });
  });

  test('the 51st label is refused by the service, with its reason', async () => {
    const room = warRoom();
    const many = Array.from({ length: 50 }, (_, at) => ({ key: `k${at}`, value: 'v' }));
    const error = await room.fail(line('add', many));
    expect(error).toMatchObject({ status: 400, exitCode: 2 });
    expect(error.message).toContain('at most 50 labels');
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
    { what: 'a value of 257 characters', labels: fits(1, 257), says: '(at 0/value) must have at most 256 characters' },
    { what: 'an empty key', labels: [{ key: '', value: 'v' }], says: 'letters, digits, "_" and "-" only' },
    { what: 'an empty value', labels: [{ key: 'k', value: '' }], says: '(at 0/value)' },
    { what: 'a key with a dot', labels: [{ key: 'a.b', value: 'v' }], says: 'not "a.b"' },
    { what: 'a value with a space', labels: [{ key: 'k', value: 'a b' }], says: 'not "a b"' },
    { what: 'a letter with an accent', labels: [{ key: 'caf\u00e9', value: 'v' }], says: '(at 0/key)' },
    { what: 'a line break at the end', labels: [{ key: 'k\n', value: 'v' }], says: '(at 0/key)' },
    { what: 'a number', labels: [{ key: 'k', value: 42 }], says: '(at 0/value) must be a string' },
    { what: 'no value', labels: [{ key: 'k' }], says: 'lacks "value"' },
    { what: 'an object', labels: { env: 'prod' }, says: 'labels must be an array' },
    { what: 'a text', labels: ['env'], says: '(at 0) must be an object' },
    {
      what: '51 labels',
      labels: Array.from({ length: 51 }, (_, at) => ({ key: `k${at}`, value: 'v' })),
      says: 'at most 50',
    },
    {
      what: 'a key that is there twice',
      labels: [
        { key: 'a', value: '1' },
        { key: 'a', value: '2' },
      ],
      says: 'more than one value for: a',
    },
  ];

  requirement.each(verbs.flatMap((verb) => rules.map((rule) => ({ ...verb, ...rule }))))(
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

  requirement.each(verbs)(
    ['model-label-key-limits', 'model-label-value-limits'],
    '$verb accepts labels at the limits',
    async ({ of }) => {
      const room = answering(() => ({ answer: { uuid: ID } }));
      await room.run(of(fits(128, 256)));
      expect(asked(room.requests.at(-1) ?? { method: 'GET', url: '', headers: {}, timeoutMs: 0 }).body).toMatchObject({
        labels: fits(128, 256),
      });
    },
  );

  test.each(verbs)('$verb reports every invalid label', async ({ of }) => {
    const labels = Array.from({ length: 50 }, (_, at) => ({ key: `k ${at}`, value: 'a.b' }));
    const error = await answering(() => ({ answer: {} })).fail(of(labels));
    if (!(error instanceof ValidationError)) throw error;
    expect(error.problems).toHaveLength(100);
    expect(error.message).toContain('labels (at 49/value)');
  });

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

  requirement('model-label-key-limits', 'a key that is invalid for labels is not looked up', async () => {
    const room = answering(() => ({ answer: {} }));
    expect(await room.fail(`${VALUES} key=../label-keys`)).toMatchObject({ exitCode: 2, argument: 'key' });
    expectNone(room.requests, 'requests');
  });

  test('the service refuses invalid labels too, and the error shows its reasons with their positions', async () => {
    const detail = [
      { loc: ['body', 'labels', 0, 'key'], msg: 'must be short', type: 'string_too_long' },
      { loc: ['body', 'labels'], msg: 'must be few', type: 'too_long' },
    ];
    const room = answering(({ method }) => (method === 'POST' ? { status: 422, answer: { detail } } : { answer: {} }));
    const error = await room.fail(line('add', [{ key: 'a', value: 'b' }]));
    expect(error).toMatchObject({ status: 422, exitCode: 2 });
    expect(error.message).toContain('labels.0.key: must be short; labels: must be few');
  });
});
