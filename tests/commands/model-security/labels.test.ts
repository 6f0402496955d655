import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { idOf } from '../goldens.ts';

const ID = idOf('model');
const GROUP = idOf('group');

const { scans } = MODEL_SEED_IDS;
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

describe('keys and values of all scans', () => {});

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

  test('a list of labels from the context is accepted', async () => {
    const room = warRoom();
    await room.run(line('add', [{ key: 'tier', value: '1' }]));
    const other = `!aisec-model-security-labels-add scan_uuid=${scans.fraud} labels=`;
    const result = await room.value(`${other}\${AiSec.ModelSecurityLabelsAdd.labels_added}`);
    expect(result).toMatchObject({ labels_added: [{ key: 'tier', value: '1' }] });
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
