import { join } from 'node:path';
import { DLP_IDS } from '../../../fixtures/service/dlp/ids.ts';
import { nodeFiles } from '../../../lib/node/files/files.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { answering, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeTypeChanges, describeWrongRoots } from './answers.ts';
import { describeDlpIds, describeDlpPages } from './dlp-lists.ts';
import { describeGoldens } from './golden.ts';
import { ALL, FILE, goldens, ID, keys, response } from './goldens/dlp-dictionaries.ts';

const { medicalTerms, projectNames } = DLP_IDS.dictionaries;

const LIST = '!aisec-runtime-dlp-dictionaries-list';
const GET = '!aisec-runtime-dlp-dictionaries-get dictionary_id=';
const CREATE = '!aisec-runtime-dlp-dictionaries-create';
const PATCH = '!aisec-runtime-dlp-dictionaries-patch';
const REPLACE = '!aisec-runtime-dlp-dictionaries-replace';
const DELETE = '!aisec-runtime-dlp-dictionaries-delete dictionary_id=';

const CATEGORIES = 'Academic,Confidential,Employment,Financial,Government,Healthcare,Legal,Marketing,Source Code';
const REGIONS =
  'Australia,Brazil,Canada,France,Germany,India,Japan,Saudi Arabia,Singapore,Switzerland,United Kingdom,United States';

/** A war room with a keyword file. */
function roomWith(text: string, options = {}, name = 'words.txt'): WarRoom {
  const room = warRoom(options);
  room.files[name] = text;
  return room;
}

const planeRequests = ({ requests }: WarRoom) => requests.filter(({ url }) => url.includes('/v2/api/'));

/** The three commands that describe a dictionary, each with its required arguments except category and region. */
const describing = [
  { line: `${CREATE} name=W entry_id=words.txt` },
  { line: `${PATCH} dictionary_id=${projectNames} name=W original_file_name=w.txt` },
  { line: `${REPLACE} dictionary_id=${projectNames} name=W entry_id=words.txt` },
];

/** The two commands that upload. */
const uploading = [
  { line: `${CREATE} name=W category=Legal region_name=India entry_id=` },
  { line: `${REPLACE} dictionary_id=${projectNames} name=W category=Legal region_name=India entry_id=` },
];

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-runtime-dlp-dictionaries', keys, goldens });
  describeDlpPages({ command: 'aisec-runtime-dlp-dictionaries-list', path: 'dictionaries' });
  describeDlpIds([GET, DELETE, `${PATCH} name=n category=Legal original_file_name=f dictionary_id=`]);

  const get = { request: `GET ${ALL}/${ID}` };
  describeTypeChanges([
    { line: GET + ID, script: [{ ...get, answer: { name: {} } }], path: 'AiSec.DlpDictionaryGet.name' },
    {
      line: LIST,
      script: [
        {
          request: `GET ${ALL}?page=0&size=50`,
          answer: { content: [{ dictionary_metadata: { number_of_keywords: 'many' } }] },
        },
      ],
      path: 'AiSec.DlpDictionary.number_of_keywords',
    },
  ]);
  describeWrongRoots([{ line: GET + ID, script: [get] }]);

  scenario.each([
    { body: '204', answer: { status: 204 } },
    { body: '200 without a body', answer: {} },
    { body: 'a JSON text', answer: { answer: 'deleted' } },
  ])('delete-bodies', 'a delete answered with $body succeeds', async ({ answer }) => {
    await scripted([{ request: `DELETE ${ALL}/${ID}`, ...answer }], async (room) => {
      expect(await room.value(DELETE + ID)).toEqual({ id: ID, deleted: true, status: 'Successfully deleted' });
    });
  });

  test('a delete that a 200 response refuses in its message is an error', async () => {
    await scripted([{ request: `DELETE ${ALL}/${ID}`, answer: 'it was not deleted' }], async (room) => {
      expect(await room.value(DELETE + ID)).toEqual({ id: ID, deleted: false, status: 'it was not deleted' });
    });
  });
});

describe('reading', () => {
  requirement(
    'dlp-dictionary-list-carries-audit',
    'a list has the author, editor and owner of a dictionary',
    async () => {
      const rows = await warRoom().values(LIST);
      expect(rows).toMatchObject([
        { id: medicalTerms, type: 'predefined', created_by: 'system', updated_by: 'system', is_parent_managed: false },
        { id: projectNames, type: 'custom', created_by: 'dana@example.com', updated_by: 'dana@example.com' },
      ]);
      expect(rows.map(({ number_of_keywords }) => number_of_keywords)).toEqual([5, 3]);
    },
  );

  requirement('dlp-dictionary-metadata', 'metadata have the number of keywords, size and file name', async () => {
    const room = roomWith('alpha\nbeta\n');
    expect(await room.value(GET + projectNames)).toMatchObject({
      dictionary_metadata: {
        number_of_keywords: 3,
        original_file_size_in_byte: 36,
        original_file_name: 'projects.txt',
      },
    });
    expect(await room.value(`${CREATE} name=W category=Legal entry_id=words.txt`)).toMatchObject({
      dictionary_metadata: { number_of_keywords: 2, original_file_size_in_byte: 11, original_file_name: 'words.txt' },
    });
  });

  requirement('dlp-dictionary-keywords-on-request', 'keywords are listed only on request', async () => {
    const room = roomWith(FILE);
    const create = (name: string, args = '') =>
      room.value(`${CREATE} name=${name} category=Legal entry_id=words.txt ${args}`);
    const replace = (args = '') =>
      room.value(
        `${REPLACE} dictionary_id=${medicalTerms} name=M category=Legal region_name=India entry_id=words.txt ${args}`,
      );
    const on = 'include_keywords=true';
    expect((await room.value(GET + projectNames)).keywords).toBeNull();
    expect((await room.value(`${GET}${projectNames} include_keywords=false`)).keywords).toBeNull();
    expect((await room.value(`${GET}${projectNames} ${on}`)).keywords).toEqual([
      'Bluebird',
      'Falcon Ridge',
      'Northern Light',
    ]);
    expect((await create('A')).keywords).toBeNull();
    expect((await create('B', on)).keywords).toEqual(['alpha', 'beta']);
    expect((await replace()).keywords).toBeNull();
    expect((await replace(on)).keywords).toEqual(['alpha', 'beta']);
    const asked = planeRequests(room).map(({ url }) => new URL(url).searchParams.get('keywords'));
    expect(asked).toEqual([null, null, 'true', null, 'true', null, 'true']);
  });

  requirement('dlp-dictionary-keywords-on-request', 'keywords of a list are in the raw response', async () => {
    const { raw } = await warRoom().run(`${LIST} include_keywords=true`);
    expect(raw).toMatchObject([{}, { keywords: ['Bluebird', 'Falcon Ridge', 'Northern Light'] }]);
    expect(JSON.stringify((await warRoom().run(LIST)).raw)).not.toContain('Bluebird');
  });

  test('the table shows the first twenty keywords and their total number', async () => {
    const keywords = Array.from({ length: 25 }, (_, n) => `word${n}`);
    const room = answering(() => ({ answer: { ...response, keywords } }));
    const { readable, writes } = await room.run(`${GET}${ID} include_keywords=true`);
    const row = readable.tables[0]?.rows.find(([name]) => name === 'Keywords');
    expect(row?.[1]?.split('\n')).toEqual([...keywords.slice(0, 20), '... 25 in all']);
    expect(writes[0]?.value).toMatchObject({ keywords });
  });
});

describe('category, region and type', () => {
  requirement.each(CATEGORIES.split(',').map((category) => ({ category })))(
    'dlp-dictionary-categories',
    'accepts the category $category',
    async ({ category }) => {
      for (const { line } of describing) {
        const room = roomWith(FILE);
        const args = `category="${category}" region_name=India`;
        expect(await room.value(`${line} ${args}`)).toMatchObject({ category });
      }
    },
  );

  requirement.each(['financials', 'Finance', 'null', ''].map((category) => ({ category })))(
    'dlp-dictionary-categories',
    'a category of "$category" is refused before anything is sent',
    async ({ category }) => {
      for (const { line } of describing) {
        const room = roomWith(FILE);
        const error = await room.fail(`${line} region_name=India category="${category}"`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'category' });
        expectNone(room.requests, 'requests');
      }
    },
  );

  requirement.each(REGIONS.split(',').map((region) => ({ region })))(
    'dlp-dictionary-regions',
    'accepts the region $region',
    async ({ region }) => {
      for (const { line } of describing) {
        const room = roomWith(FILE);
        expect(await room.value(`${line} category=Legal region_name="${region}"`)).toMatchObject({
          region_name: region,
        });
      }
    },
  );

  requirement('dlp-dictionary-regions', 'a new dictionary has the region United States by default', async () => {
    const room = roomWith(FILE);
    const value = await room.value(`${CREATE} name=W category=Legal entry_id=words.txt`);
    expect(value).toMatchObject({ region_name: 'United States' });
    const error = await room.fail(`${REPLACE} dictionary_id=${ID} name=W category=Legal entry_id=words.txt`);
    expect(error).toMatchObject({ exitCode: 2, argument: 'region_name' });
  });

  requirement.each(['us-west-2', 'united-states', 'Spain'].map((region) => ({ region })))(
    ['dlp-dictionary-regions', 'dlp-dictionary-region-refused'],
    'the region $region is refused before a request, and the service would answer HTTP 400',
    async ({ region }) => {
      for (const { line } of describing) {
        const room = roomWith(FILE);
        const error = await room.fail(`${line} category=Legal region_name="${region}"`);
        expect(error).toMatchObject({
          exitCode: 2,
          argument: 'region_name',
          hint: expect.stringContaining('Saudi Arabia'),
        });
        expectNone(room.requests, 'requests');
        await room.run(`${line} category=Legal region_name=India`);
        expect(await again(room, (text) => text.replace('"India"', JSON.stringify(region)).replace('"W"', '"V"'))).toBe(
          400,
        );
      }
    },
  );

  requirement.each([
    { type: 'custom', args: '' },
    { type: 'custom', args: 'type=custom' },
    { type: 'predefined', args: 'type=predefined' },
  ])('dlp-dictionary-types', '"$args" creates a dictionary of type $type', async ({ type, args }) => {
    for (const { line } of uploading)
      expect(await roomWith(FILE).value(`${line}words.txt ${args}`)).toMatchObject({ type });
  });

  requirement('dlp-dictionary-types', 'any other type is refused', async () => {
    for (const { line } of uploading) {
      expect(await roomWith(FILE).fail(`${line}words.txt type=own`)).toMatchObject({ exitCode: 2, argument: 'type' });
    }
  });
});

/** Repeats the last request to the plane with another text, without its command. @returns the status */
async function again(room: WarRoom, change: (text: string) => string): Promise<number> {
  const last = planeRequests(room).at(-1);
  if (last === undefined) throw new Error('there was no request');
  const { upload, body } = last;
  const parts = upload?.parts.map((part) => ({ ...part, text: change(part.text) }));
  const changed = upload === undefined ? { body: change(body ?? '') } : { upload: { ...upload, parts: parts ?? [] } };
  return (await room.runtime.transport.send({ ...last, ...changed })).status;
}

describe('the keyword file', () => {
  requirement(
    'dlp-dictionary-uploads-file',
    'is sent unchanged in a second part, after the description of the dictionary',
    async () => {
      for (const { line } of uploading) {
        const room = roomWith('alpha\r\nbeta\ngamma', {}, 'my words.txt');
        await room.run(`${line}"my words.txt" description="d"`);
        const { upload, headers, body } = planeRequests(room)[0] ?? {};
        expect(upload).toMatchObject({
          field: 'file',
          contentType: 'text/plain',
          file: { name: 'my words.txt' },
          parts: [{ name: 'json', fileName: 'metadata.json', contentType: 'application/json' }],
        });
        expect(JSON.parse(upload?.parts[0]?.text ?? '')).toEqual({
          name: 'W',
          category: 'Legal',
          region_name: 'India',
          description: 'd',
          original_file_name: 'my words.txt',
        });
        expect([body, headers?.['content-type']]).toEqual([undefined, undefined]);
      }
    },
  );

  requirement('dlp-dictionary-uploads-file', 'replaces all existing keywords', async () => {
    const room = roomWith('alpha\r\nbeta\r\n\r\n  gamma  ');
    const args = 'name=W category=Legal region_name=India entry_id=words.txt';
    await room.run(`${REPLACE} dictionary_id=${projectNames} ${args}`);
    expect(await room.value(`${GET}${projectNames} include_keywords=true`)).toMatchObject({
      keywords: ['alpha', 'beta', 'gamma'],
      description: null,
      is_case_sensitive: false,
    });
  });

  scenario.each(uploading.flatMap(({ line }) => ['', ' ', '\n\r\n\t \n'].map((text) => ({ line, text }))))(
    'upload',
    '$line refuses a file without a keyword ($text)',
    async ({ line, text }) => {
      for (const size of [undefined, text.length]) {
        const room = roomWith(text);
        const files = memoryFiles(room.files);
        const hidden = { ...files, find: async (entry: string) => ({ ...(await files.find(entry)), size }) };
        const error = await room.fail(`${line}words.txt`, { files: hidden });
        expect(error).toMatchObject({
          exitCode: 2,
          argument: 'entry_id',
          message: expect.stringContaining('no keywords'),
        });
        expectNone(room.requests, 'requests');
      }
    },
  );

  scenario.each(uploading)('upload', '$line refuses a missing file and a directory', async ({ line }) => {
    const directory = temporaryFolder('dictionaries');
    const room = warRoom();
    const files = nodeFiles(directory);
    expect(await room.fail(`${line}missing.txt`)).toMatchObject({ exitCode: 2 });
    expect(await room.fail(`${line}${join(directory, 'missing.txt')}`, { files })).toMatchObject({ exitCode: 2 });
    const error = await room.fail(`${line}${directory}`, { files });
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('is a directory') });
    expectNone(room.requests, 'requests');
  });

  scenario.each(['a\r\nX-Evil: 1.txt', 'quo"te.txt', 'b\nc.txt'].map((name) => ({ name })))(
    'upload',
    'the file name $name is sent unchanged',
    async ({ name }) => {
      const room = roomWith(FILE, {}, name);
      const entry = name.replace(/["\\]/g, '\\$&');
      const value = await room.value(`${CREATE} name=W category=Legal entry_id="${entry}" include_keywords=true`);
      expect(value).toMatchObject({
        dictionary_metadata: { original_file_name: name },
        keywords: ['alpha', 'beta'],
      });
    },
  );

  test('counts the lines of a long file across any chunk boundaries', async () => {
    const words = Array.from({ length: 1500 }, (_, n) => `keyword ${n}`);
    const room = roomWith(`${words.join('\r\n')}\r\n`);
    const { writes, readable } = await room.run(`${CREATE} name=W category=Legal entry_id=words.txt`);
    expect(writes[0]?.value).toMatchObject({ dictionary_metadata: { number_of_keywords: 1500 } });
    expectNone(readable.notes, 'notes below the table');
  });

  test('notes that a dictionary has fewer keywords than its file', async () => {
    for (const { line } of uploading) {
      const { readable } = await roomWith('alpha\nalpha\nbeta').run(`${line}words.txt`);
      expect(readable.notes).toEqual([
        expect.stringMatching(/^The file has 3 lines with keywords, and the dictionary 2:/),
      ]);
    }
  });

  scenario('known-fault', 'the hint names the known refusal of new dictionaries', async () => {
    const room = roomWith(FILE, { faults: ['known'] });
    const error = await room.fail(`${CREATE} name=W category=Legal entry_id=words.txt`);
    expect(error).toMatchObject({
      code: 'refused',
      status: 400,
      message: expect.stringContaining('Invalid Request Body'),
    });
    expect(error.hint).toMatch(/known to refuse new dictionaries.*aisec-runtime-dlp-dictionaries-replace/);
  });
});

describe('replacing', () => {
  const line = `${REPLACE} dictionary_id=${projectNames} name=W category=Legal region_name=India entry_id=words.txt`;

  test.each([{ quirks: [] }, { quirks: ['dictionary-no-content'] }])(
    'writes the context with and without a response body ($quirks)',
    async ({ quirks }) => {
      const room = roomWith(FILE, { quirks });
      expect(await room.value(`${line} include_keywords=true`)).toMatchObject({
        id: projectNames,
        name: 'W',
        category: 'Legal',
        region_name: 'India',
        keywords: ['alpha', 'beta'],
      });
      const methods = planeRequests(room).map(({ method }) => method);
      expect(methods).toEqual(quirks.length === 0 ? ['PUT'] : ['PUT', 'GET']);
    },
  );

  test('a dictionary that cannot be read again causes a partial error with its id', async () => {
    const answers = [{ status: 204 }, { status: 404, answer: { message: 'gone' } }];
    const room = answering(() => answers.shift() ?? {});
    const { writes, failure } = await room.run(line, { files: memoryFiles({ 'words.txt': FILE }) });
    expect(writes[0]?.value).toMatchObject({ id: projectNames, name: null });
    expect(failure).toMatchObject({ code: 'partial', exitCode: 10 });
    expect(failure?.message).toMatch(/was replaced, but not read again: .*gone/);
  });
});

describe('patching', () => {
  const line = (args: string) => `${PATCH} dictionary_id=${projectNames} ${args}`;
  const required = 'name=W category=Legal original_file_name=w.txt';

  test('omitted fields are kept, including keywords', async () => {
    const room = warRoom();
    await room.run(line(required));
    expect(await room.value(`${GET}${projectNames} include_keywords=true`)).toMatchObject({
      name: 'W',
      category: 'Legal',
      description: 'Names of projects that are not announced.',
      is_case_sensitive: true,
      region_name: 'United States',
      dictionary_metadata: { original_file_name: 'w.txt' },
      keywords: ['Bluebird', 'Falcon Ridge', 'Northern Light'],
    });
    expect(planeRequests(room)[0]?.headers['content-type']).toBe('application/merge-patch+json');
  });

  requirement('dlp-dictionary-patch-null-clears', 'the text null clears description, case and region', async () => {
    const room = warRoom();
    await room.run(line(`${required} description=null is_case_sensitive=null region_name=null`));
    expect(await room.value(GET + projectNames)).toMatchObject({
      description: null,
      is_case_sensitive: null,
      region_name: null,
    });
  });

  requirement.each([
    { args: 'category=Legal original_file_name=w', argument: 'name' },
    { args: 'name=null category=Legal original_file_name=w', argument: 'name' },
    { args: 'name=W original_file_name=w', argument: 'category' },
    { args: 'name=W category=null original_file_name=w', argument: 'category' },
    { args: 'name=W category=Legal', argument: 'original_file_name' },
    { args: 'name=W category=Legal original_file_name=null', argument: 'original_file_name' },
    { args: `${required} is_case_sensitive=1`, argument: 'is_case_sensitive' },
  ])('dlp-dictionary-patch-never-cleared', '$args is refused before it is sent', async ({ args, argument }) => {
    const room = warRoom();
    expect(await room.fail(line(args))).toMatchObject({ exitCode: 2, argument });
    expectNone(room.requests, 'requests');
  });

  requirement('dlp-dictionary-patch-never-cleared', 'without an id nothing is sent', async () => {
    const room = warRoom();
    expect(await room.fail(`${PATCH} ${required}`)).toMatchObject({ exitCode: 2, argument: 'dictionary_id' });
    expectNone(room.requests, 'requests');
  });
});

test('a deleted dictionary cannot be read', async () => {
  const room = warRoom();
  expect(await room.value(DELETE + projectNames)).toMatchObject({ deleted: true });
  expect(await room.fail(GET + projectNames)).toMatchObject({ code: 'not-found' });
  expect(await room.fail(DELETE + projectNames)).toMatchObject({ code: 'not-found' });
  expect((await room.values(LIST)).map(({ id }) => id)).toEqual([medicalTerms]);
});
