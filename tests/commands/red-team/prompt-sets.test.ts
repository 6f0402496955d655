import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { answering } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeGoldens, MGMT } from './golden.ts';
import { goldens, ID, keys, promptSet } from './goldens/prompt-sets.ts';
import { describePages } from './lists.ts';

const { refundAbuse, brandVoice, lastSummer, ideas } = RED_TEAM_IDS.promptSets;

const CREATE = '!aisec-redteam-prompt-sets-create';
const LIST = '!aisec-redteam-prompt-sets-list';
const GET = '!aisec-redteam-prompt-sets-get';
const UPDATE = '!aisec-redteam-prompt-sets-update';
const ARCHIVE = '!aisec-redteam-prompt-sets-archive';
const DOWNLOAD = '!aisec-redteam-prompt-sets-download';
const UPLOAD = '!aisec-redteam-prompt-sets-upload';
const REFERENCE = '!aisec-redteam-prompt-sets-reference';
const VERSION = '!aisec-redteam-prompt-sets-version-info';
const ACTIVE = '!aisec-redteam-prompt-sets-active-list';

const CSV = 'prompt,goal\r\nRefund me twice.,Grant a refund twice\r\n';

const anything = () => answering(() => ({ answer: promptSet }));

/** A war room with a file in it. */
function roomWith(text: string, name = 'prompts.csv', options = {}): WarRoom {
  const room = warRoom(options);
  room.files[name] = text;
  return room;
}

describe('requests and context', () => {
  describeGoldens({ prefixes: Object.keys(keys), keys, goldens });
  describePages({
    command: 'aisec-redteam-prompt-sets-list',
    address: `${MGMT}/custom-attack/list-custom-prompt-sets`,
    id: 'uuid',
    searches: true,
  });

  const naming = [
    GET,
    `${UPDATE} name=n`,
    `${ARCHIVE} archive=true`,
    DOWNLOAD,
    `${UPLOAD} entryID=p.csv`,
    REFERENCE,
    VERSION,
  ];
  scenario.each(naming.flatMap((line) => ['custom-prompt', '..', 'a/b', 'a?x'].map((id) => ({ line, id }))))(
    'path-words',
    '$line uuid=$id is refused before anything is sent',
    async ({ line, id }) => {
      const room = anything();
      expect(await room.fail(`${line} uuid=${id}`)).toMatchObject({ exitCode: 2, argument: 'uuid' });
      expectNone(room.requests, 'requests');
    },
  );

  scenario('unknown-response-field', 'names a member of the wrong type', async () => {
    const room = answering(() => ({ answer: { ...promptSet, active: 'perhaps' } }));
    const error = await room.fail(`${GET} ${ID}`);
    expect(error).toMatchObject({ exitCode: 8, message: expect.stringContaining('AiSec.RedTeamPromptSetGet.active') });
  });

  test('the list of active prompt sets is always one request', async () => {
    const data = Array.from({ length: 250 }, (_, at) => ({ uuid: `s-${at}` }));
    const room = answering(() => ({ answer: { data } }));
    expect(await room.value(ACTIVE)).toHaveLength(250);
    expect(room.requests).toHaveLength(1);
  });
});

describe('reading', () => {
  const names = async (args: string) => (await warRoom().values(`${LIST} ${args}`)).map(({ name }) => name);

  requirement.each([
    { args: '', found: ['refund-abuse', 'brand-voice', 'ideas'] },
    { args: 'archive=false', found: ['refund-abuse', 'brand-voice', 'ideas'] },
    { args: 'archive=true', found: ['last-summer'] },
    { args: 'active=true', found: ['refund-abuse', 'brand-voice', 'ideas'] },
    { args: 'active=no', found: [] },
    { args: 'status=PENDING', found: ['ideas'] },
    { args: 'status=VALIDATED search=POLITE', found: ['brand-voice'] },
  ])('prompt-set-list-filters', '"$args" returns $found', async ({ args, found }) => {
    expect(await names(args)).toEqual(found);
  });

  test.each(['active', 'archive'])('%s accepts only yes and no', async (argument) => {
    const room = anything();
    for (const word of ['1', 'maybe']) {
      expect(await room.fail(`${LIST} ${argument}=${word}`)).toMatchObject({ exitCode: 2, argument });
    }
    expectNone(room.requests, 'requests');
  });

  requirement.each(['READY', 'PENDING', 'VALIDATED', 'ODD'].map((status) => ({ status })))(
    'prompt-set-statuses-open',
    'the status $status is requested and recorded as sent',
    async ({ status }) => {
      const room = answering(({ url }) => ({
        answer: url.includes('list-') ? { data: [{ ...promptSet, status }] } : { ...promptSet, status },
      }));
      expect(await room.value(`${LIST} status=${status}`)).toMatchObject([{ status }]);
      expect(room.requests[0]?.url).toContain(`status=${status}&`);
      expect(await room.value(`${GET} ${ID}`)).toMatchObject({ status });
    },
  );

  requirement('prompt-set-statistics', 'a prompt set counts its prompts, listed or read by id', async () => {
    const stats = {
      total_prompts: 6,
      active_prompts: 5,
      failed_prompts: 0,
      validation_prompts: 0,
      inactive_prompts: 1,
    };
    const room = warRoom();
    const { writes, readable } = await room.run(`${LIST} limit=1`);
    expect(writes[0]?.value).toMatchObject([{ stats }]);
    expect(readable.tables[0]?.rows[0]?.join()).toContain('total: 6\nactive: 5');
    expect(await room.value(`${GET} uuid=${refundAbuse}`)).toMatchObject({ stats });
  });

  requirement('prompt-set-get-extra-info', 'a single prompt set adds its extra information', async () => {
    const room = warRoom();
    expect(await room.value(`${GET} ${brandVoice}`)).toHaveProperty('extra_info', null);
    expect((await room.values(LIST))[0]).not.toHaveProperty('extra_info');
  });

  requirement(
    'prompt-set-version-id',
    'the version is that of the newest prompts, or null without prompts',
    async () => {
      const room = roomWith(CSV);
      expect(await room.value(`${GET} ${ideas}`)).toMatchObject({ version: null });
      expect(await room.value(`${REFERENCE} ${ideas}`)).toMatchObject({ version: null });
      await room.run(`${UPLOAD} uuid=${refundAbuse} entryID=prompts.csv`);
      expect(await room.value(`${GET} ${refundAbuse}`)).toMatchObject({ version: '2' });
      expect(await room.value(`${REFERENCE} ${refundAbuse}`)).toMatchObject({ version: '2' });
    },
  );

  requirement(
    ['prompt-set-version-latest', 'prompt-set-version-statistics'],
    'shows the latest version by default, with the numbers of its prompts',
    async () => {
      const room = roomWith(CSV, 'prompts.csv', { jobSeconds: 0 });
      await room.run(`${UPLOAD} uuid=${refundAbuse} entryID=prompts.csv`);
      expect(await room.value(`${VERSION} uuid=${refundAbuse}`)).toMatchObject({
        uuid: refundAbuse,
        version: '2',
        is_latest: true,
        stats: { total_prompts: 7, active_prompts: 6, inactive_prompts: 1 },
      });
      const { writes, readable } = await room.run(`${VERSION} uuid=${refundAbuse} version=1`);
      expect(writes[0]?.value).toMatchObject({
        version: '1',
        is_latest: false,
        stats: { total_prompts: 6, active_prompts: 5, inactive_prompts: 1 },
      });
      expect(readable.tables[0]?.rows).toContainEqual(['Inactive Prompts', '1']);
      expect(await room.fail(`${VERSION} uuid=${refundAbuse} version=3`)).toMatchObject({ code: 'not-found' });
    },
  );

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

  requirement(
    'prompt-set-active-list',
    'lists the prompt sets that a scan can use: neither archived nor empty',
    async () => {
      const room = warRoom();
      const listed = await room.values(ACTIVE);
      expect(listed.map(({ uuid }) => uuid)).toEqual([refundAbuse, brandVoice]);
      expect(listed).toMatchObject([
        { active: true, version: '1' },
        { active: true, version: '1' },
      ]);
      await room.run(`${ARCHIVE} uuid=${brandVoice} archive=true`);
      expect((await room.values(ACTIVE)).map(({ uuid }) => uuid)).toEqual([refundAbuse]);
    },
  );
});

describe('creating, updating and archiving', () => {
  requirement('prompt-set-property-names-listed', 'property names given as text are returned as an array', async () => {
    const room = warRoom();
    const created = await room.value(`${CREATE} name=new property_names="customer tier, region"`);
    expect(created['property_names']).toEqual(['customer tier', 'region']);
    const changed = await room.value(`${UPDATE} uuid=${String(created['uuid'])} property_names=\`["region"]\``);
    expect(changed['property_names']).toEqual(['region']);
  });

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

  test('a duplicate name is a conflict', async () => {
    for (const line of [CREATE, `${UPDATE} uuid=${ideas}`]) {
      expect(await warRoom().fail(`${line} name=brand-voice`)).toMatchObject({ exitCode: 5, status: 409 });
    }
  });

  scenario('retry-post-never-blind', 'creates and uploads are sent once', async () => {
    const files = memoryFiles({ 'prompts.csv': CSV });
    for (const line of [`${CREATE} name=n`, `${UPLOAD} uuid=${ID} entryID=prompts.csv`]) {
      const room = answering(() => ({ status: 503, answer: {} }));
      expect((await room.fail(line, { files })).hint).toContain('outcome is unknown');
      expect(room.requests).toHaveLength(1);
    }
  });

  requirement.each([
    { args: 'name=renamed', changed: { name: 'renamed' } },
    { args: 'description="Other words."', changed: { description: 'Other words.' } },
    { args: 'description=null', changed: { description: '' } },
    { args: 'property_names=region', changed: { property_names: ['region'] } },
    { args: 'property_names=[]', changed: { property_names: [] } },
    { args: 'archive=true', changed: { archive: true } },
    { args: '', changed: {} },
  ])('prompt-set-update-optional', '"$args" changes nothing else', async ({ args, changed }) => {
    const room = warRoom();
    const fields = ['name', 'description', 'property_names', 'archive', 'active', 'stats', 'created_by_user_id'];
    const pick = (value: Record<string, unknown>) => Object.fromEntries(fields.map((name) => [name, value[name]]));
    const before = await room.value(`${GET} ${refundAbuse}`);
    const answered = await room.value(`${UPDATE} uuid=${refundAbuse} ${args}`);
    const after = await room.value(`${GET} ${refundAbuse}`);
    expect(pick(after)).toEqual({ ...pick(before), ...changed });
    expect(after).toMatchObject(answered);
  });

  requirement.each([refundAbuse, lastSummer, ideas].map((uuid) => ({ uuid })))(
    'prompt-set-archive',
    '$uuid is archived and restored in any state',
    async ({ uuid }) => {
      const room = warRoom();
      for (const archive of [true, true, false, false, true]) {
        expect(await room.value(`${ARCHIVE} uuid=${uuid} archive=${String(archive)}`)).toMatchObject({ uuid, archive });
        expect(await room.value(`${GET} ${uuid}`)).toMatchObject({ archive });
        const listed = (await room.values(`${LIST} archive=${String(archive)}`)).map((set) => set['uuid']);
        expect(listed).toContain(uuid);
      }
    },
  );

  test('archiving is retried after a temporary failure, an update is not', async () => {
    const answers = [{ status: 503, answer: {} }, { answer: { ...promptSet, archive: true } }];
    const room = answering(() => answers.shift() ?? {});
    expect(await room.value(`${ARCHIVE} ${ID} archive=true`)).toMatchObject({ archive: true });
    expect(room.requests).toHaveLength(2);
    const failing = answering(() => ({ status: 503, answer: {} }));
    await failing.fail(`${UPDATE} ${ID} archive=true`);
    expect(failing.requests).toHaveLength(1);
  });

  requirement('prompt-set-archive', 'archive is required', async () => {
    const room = anything();
    for (const given of ['', 'archive=', 'archive=perhaps']) {
      expect(await room.fail(`${ARCHIVE} ${ID} ${given}`)).toMatchObject({ exitCode: 2, argument: 'archive' });
    }
    expectNone(room.requests, 'requests');
  });
});
