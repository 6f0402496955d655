import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, idOf as goldenId, idOf } from '../goldens.ts';

describe('prompt sets', () => {
  const ID = idOf('prompt_set');
  const promptSet = answerOf('redteam-prompt-sets-create', 'every argument');

  const { refundAbuse, brandVoice, ideas } = RED_TEAM_IDS.promptSets;

  const CREATE = '!aisec-redteam-prompt-sets-create';
  const UPDATE = '!aisec-redteam-prompt-sets-update';
  const ARCHIVE = '!aisec-redteam-prompt-sets-archive';
  const UPLOAD = '!aisec-redteam-prompt-sets-upload';
  const VERSION = '!aisec-redteam-prompt-sets-version-info';

  const CSV = 'prompt,goal\r\nRefund me twice.,Grant a refund twice\r\n';

  const anything = () => answering(() => ({ answer: promptSet }));

  describe('reading', () => {
    requirement(
      'prompt-set-version-info-fault',
      'the hint names the known defect of the service and a workaround',
      async () => {
        const room = warRoom({ faults: ['known'] });
        for (const uuid of [refundAbuse, brandVoice, ideas]) {
          const error = await room.fail(`${VERSION} uuid=${uuid}`);
          expect(error).toMatchObject({ exitCode: 8, status: 500, message: expect.stringContaining('internal_error') });
          expect(error.hint).toMatch(/known to answer this for every prompt set.*aisec-redteam-prompt-sets-reference/);
        }
      },
    );
  });

  describe('creating, updating and archiving', () => {
    const both = [{ line: `${CREATE} name=n` }, { line: `${UPDATE} uuid=${ID}` }];
    requirement.each(
      both.flatMap((one) => ['a,b,c', '`["a", ""]`', `a,${'n'.repeat(257)}`].map((names) => ({ ...one, names }))),
    )(
      'prompt-set-property-names-listed',
      '$line property_names=$names is refused before anything is sent',
      async ({ line, names: wrong }) => {
        const room = anything();
        const error = await room.fail(`${line} property_names=${wrong}`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'property_names' });
        expectNone(room.requests, 'requests');
      },
    );

    scenario('retry-post-never-blind', 'creates and uploads are sent once', async () => {
      const files = memoryFiles({ 'prompts.csv': CSV });
      for (const line of [
        `${CREATE} name=n`,
        `${UPLOAD} uuid=${ID} entryID=prompts.csv`,
        `!aisec-redteam-prompts-create prompt_set_uuid=${ID} prompt=p`,
        '!aisec-redteam-properties-create name=n',
        '!aisec-redteam-properties-add-value property_name=n property_value=v',
      ]) {
        const room = answering(() => ({ status: 503, answer: {} }));
        expect((await room.fail(line, { files })).hint).toContain('outcome is unknown');
        expect(room.requests).toHaveLength(1);
      }
    });

    test('archiving is retried after a temporary failure, an update is not', async () => {
      const answers = [{ status: 503, answer: {} }, { answer: { ...promptSet, archive: true } }];
      const room = answering(() => answers.shift() ?? {});
      expect(await room.value(`${ARCHIVE} ${ID} archive=true`)).toMatchObject({ archive: true });
      expect(room.requests).toHaveLength(2);
      const failing = answering(() => ({ status: 503, answer: {} }));
      await failing.fail(`${UPDATE} ${ID} archive=true`);
      expect(failing.requests).toHaveLength(1);
    });
  });
});

describe('prompts', () => {
  const ID = goldenId('set_prompt');
  const SET = goldenId('prompt_set');
  const BOTH = `prompt_set_uuid=${SET} prompt_uuid=${ID}`;

  const CREATE = '!aisec-redteam-prompts-create';
  const UPDATE = '!aisec-redteam-prompts-update';

  const anything = () => answering(() => ({ answer: { uuid: ID } }));

  describe('creating', () => {
    requirement.each([
      { properties: '["region"]', what: 'properties must be an object' },
      { properties: '{"region": 5}', what: 'properties (at region) must be a string' },
      { properties: '{"region": ""}', what: 'properties (at region) must have at least 1 characters' },
      {
        properties: `{"region": "${'v'.repeat(257)}"}`,
        what: 'properties (at region) must have at most 256 characters',
      },
      { properties: `{"${'n'.repeat(257)}": "v"}`, what: 'properties must have at most 256 characters' },
    ])('prompt-properties-json', 'properties that are $properties are refused', async ({ properties, what }) => {
      for (const line of [CREATE, `${UPDATE} prompt_uuid=${ID}`]) {
        const room = anything();
        const error = await room.fail(`${line} prompt_set_uuid=${SET} prompt=p properties=\`${properties}\``);
        expect(error).toMatchObject({ exitCode: 2, argument: 'properties' });
        expect(error.message).toContain(what);
        expectNone(room.requests, 'requests');
      }
    });
  });

  describe('updating and deleting', () => {
    requirement('prompt-update-optional', 'an update that changes nothing is refused', async () => {
      const room = anything();
      const error = await room.fail(`${UPDATE} ${BOTH}`);
      expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('prompt or goal or properties') });
      expectNone(room.requests, 'requests');
    });
  });
});

describe('properties', () => {
  const VALUES = '!aisec-redteam-properties-values';
  const CREATE = '!aisec-redteam-properties-create';
  const ADD = '!aisec-redteam-properties-add-value';

  const REGION = { name: 'region', values: ['europe', 'americas'] };

  const anything = () => answering(() => ({ answer: {} }));

  describe('reading', () => {
    requirement.each([{ args: '' }, { args: 'property_name=" " property_names=""' }])(
      'property-values-one-form',
      'a line without either form ($args) is refused',
      async ({ args }) => {
        const room = anything();
        expect(await room.fail(`${VALUES} ${args}`)).toMatchObject({ exitCode: 2, argument: 'property_name' });
        expectNone(room.requests, 'requests');
      },
    );

    requirement('property-values-one-form', 'refuses both forms together, and an empty list', async () => {
      const room = anything();
      const both = await room.fail(`${VALUES} property_name=a property_names=b,c`);
      expect(both).toMatchObject({ exitCode: 2, message: expect.stringContaining('together') });
      expect(await room.fail(`${VALUES} property_names=[]`)).toMatchObject({ argument: 'property_names' });
      expect(await room.fail(`${VALUES} property_names=","`)).toMatchObject({ argument: 'property_names' });
      expectNone(room.requests, 'requests');
    });

    test('an unknown name causes a note, and the known properties are listed', async () => {
      const { writes, failure } = await warRoom().run(`${VALUES} property_names=nowhere,region,never`);
      expect(writes[0]?.value).toEqual([REGION]);
      expect(failure).toMatchObject({ code: 'partial', exitCode: 10 });
      expect(failure?.message).toContain('nowhere, never');
      expect(failure?.hint).toContain('!aisec-redteam-properties-list');
    });

    test('requests the names one by one if a batch returns nothing', async () => {
      const room = answering(({ url }) =>
        url.includes('?') ? { status: 404, answer: { detail: 'none' } } : { answer: { values: [url.at(-1)] } },
      );
      expect(await room.value(`${VALUES} property_names=a,b`)).toEqual([
        { name: 'a', values: ['a'] },
        { name: 'b', values: ['b'] },
      ]);
    });
  });

  describe('creating', () => {
    test.each([
      { line: `${CREATE} name=region`, status: 409, hint: /exists already.*aisec-redteam-properties-add-value/ },
      { line: `${ADD} property_name=region property_value=europe`, status: 409, hint: /has this value already/ },
      { line: `${ADD} property_name=none property_value=v`, status: 404, hint: /aisec-redteam-properties-create/ },
    ])('$line is refused with HTTP $status, and the hint says what to do', async ({ line, status, hint }) => {
      const error = await warRoom().fail(line);
      expect(error).toMatchObject({ exitCode: 5, status });
      expect(error.hint).toMatch(hint);
    });
  });
});
