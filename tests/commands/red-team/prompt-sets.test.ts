import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, idOf } from '../goldens.ts';

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

  scenario('known-fault', 'the hint appears only for HTTP 500', async () => {
    const room = answering(() => ({ status: 404, answer: { error: { message: 'no such version' } } }));
    expect((await room.fail(`${VERSION} ${ID}`)).hint).not.toContain('known to');
  });
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

  test('the service refuses an unknown property, and the hint says how to create it', async () => {
    for (const line of [`${CREATE} name=n`, `${UPDATE} uuid=${refundAbuse}`]) {
      const error = await warRoom().fail(`${line} property_names=never`);
      expect(error).toMatchObject({ code: 'refused', status: 400 });
      expect(error.hint).toContain('!aisec-redteam-properties-create');
    }
  });

  const smile = '\ud83d\ude00';
  test.each([
    { line: CREATE, method: 'POST' },
    { line: `${UPDATE} uuid=${ID}`, method: 'PUT' },
  ])('$line accepts a name of at most 255 characters', async ({ line, method }) => {
    const room = anything();
    for (const name of ['n'.repeat(255), smile.repeat(255)]) {
      await room.run(`${line} name=${name}`);
      expect(room.requests.at(-1)).toMatchObject({ method, body: JSON.stringify({ name }) });
    }
    const error = await room.fail(`${line} name=${'n'.repeat(256)}`);
    expect(error).toMatchObject({ exitCode: 2, argument: 'name' });
    expect(error.message).toBe('name must have at most 255 characters; it has 256.');
    expect(room.requests).toHaveLength(2);
  });

  scenario('retry-post-never-blind', 'creates and uploads are sent once', async () => {
    const files = memoryFiles({ 'prompts.csv': CSV });
    for (const line of [`${CREATE} name=n`, `${UPLOAD} uuid=${ID} entryID=prompts.csv`]) {
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
