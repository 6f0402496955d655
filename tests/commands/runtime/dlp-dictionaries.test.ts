import { join } from 'node:path';
import { DLP_IDS } from '../../../fixtures/service/dlp/seed-profiles.ts';
import { nodeFiles } from '../../../lib/node/files/files.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { answering, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, PLANES } from '../goldens.ts';

describe('dictionaries', () => {
  const FILE = 'alpha\nbeta\n';
  const ID = '66b1f0c27d3e9a4851c0c001';
  const response = answerOf('runtime-dlp-dictionaries-get');

  const { projectNames } = DLP_IDS.dictionaries;

  const GET = '!aisec-runtime-dlp-dictionaries-get dictionary_id=';
  const CREATE = '!aisec-runtime-dlp-dictionaries-create';
  const PATCH = '!aisec-runtime-dlp-dictionaries-patch';
  const REPLACE = '!aisec-runtime-dlp-dictionaries-replace';

  /** A war room that has a keyword file. */
  function roomWith(text: string, options = {}, name = 'words.txt'): WarRoom {
    const room = warRoom(options);
    room.files[name] = text;
    return room;
  }

  const planeRequests = ({ requests }: WarRoom) => requests.filter(({ url }) => url.includes('/v2/api/'));

  /** The two commands that upload. */
  const uploading = [
    { line: `${CREATE} name=W category=Legal region_name=India entry_id=` },
    { line: `${REPLACE} dictionary_id=${projectNames} name=W category=Legal region_name=India entry_id=` },
  ];

  describe('reading', () => {
    test('the table shows the first twenty keywords and their total number', async () => {
      const keywords = Array.from({ length: 25 }, (_, n) => `word${n}`);
      const room = answering(() => ({ answer: { ...response, keywords } }));
      const { readable, writes } = await room.run(`${GET}${ID} include_keywords=true`);
      const row = readable.tables[0]?.rows.find(([name]) => name === 'Keywords');
      expect(row?.[1]?.split('\n')).toEqual([...keywords.slice(0, 20), '... 25 in all']);
      expect(writes[0]?.value).toMatchObject({ keywords });
    });
  });

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
      'writes the context with or without a response body ($quirks)',
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

    requirement.each([
      { args: 'name=null category=Legal original_file_name=w', argument: 'name' },
      { args: 'name=W category=null original_file_name=w', argument: 'category' },
      { args: 'name=W category=Legal original_file_name=null', argument: 'original_file_name' },
      { args: `${required} is_case_sensitive=1`, argument: 'is_case_sensitive' },
    ])('dlp-dictionary-patch-never-cleared', '$args is refused before it is sent', async ({ args, argument }) => {
      const room = warRoom();
      expect(await room.fail(line(args))).toMatchObject({ exitCode: 2, argument });
      expectNone(room.requests, 'requests');
    });
  });
});

describe('data patterns', () => {
  const ALL = `${PLANES.dlp}/data-patterns`;
  const ID = '66b1f0c27d3e9a4851c0b7d1';

  const { customerNumber } = DLP_IDS.patterns;

  const GET = '!aisec-runtime-dlp-patterns-get pattern_id=';
  const CREATE = '!aisec-runtime-dlp-patterns-create';
  const PATCH = `!aisec-runtime-dlp-patterns-patch pattern_id=${customerNumber}`;
  const REPLACE = `!aisec-runtime-dlp-patterns-replace pattern_id=${customerNumber}`;
  const DELETE = '!aisec-runtime-dlp-patterns-delete pattern_id=';

  const required = 'name=n type=custom detection_technique=regex';
  const writing = [CREATE, PATCH, REPLACE];

  describe('arguments', () => {
    test.each([
      { given: 'matching_rules=`{"proximity_distance": 1}`', problem: 'must be at least 2, not "1".' },
      { given: 'matching_rules=`{"proximity_distance": 1001}`', problem: 'must be at most 1000, not "1001".' },
      { given: 'matching_rules=`{"regexes": [{"regex": ""}]}`', problem: '(at regexes/0/regex) must have at least 1' },
      { given: 'matching_rules=`{"regexes": [{"weight": 1}]}`', problem: '(at regexes/0) lacks "regex".' },
      { given: 'tags=`{"geography": "Europe"}`', problem: 'tags (at geography) must be an array.' },
    ])('refuses $given before a request', async ({ given, problem }) => {
      for (const line of writing) {
        const room = warRoom();
        const error = await room.fail(`${line} ${required} ${given}`);
        expect(error).toMatchObject({ exitCode: 2, argument: given.split('=')[0] });
        expect(error.message).toContain(problem);
        expectNone(room.requests, 'requests');
      }
    });
  });

  describe('patching', () => {
    requirement.each([
      { args: 'name=null type=custom detection_technique=ml', argument: 'name' },
      { args: 'name=n type=null detection_technique=ml', argument: 'type' },
    ])('dlp-pattern-patch-never-cleared', '$args is refused before it is sent', async ({ args, argument }) => {
      const room = warRoom();
      expect(await room.fail(`${PATCH} ${args}`)).toMatchObject({ exitCode: 2, argument });
      expectNone(room.requests, 'requests');
    });
  });

  describe('deleting', () => {
    requirement(
      'dlp-pattern-delete-referenced',
      'a pattern in use by an active data profile is not deleted, and the error says what to do',
      async () => {
        const room = warRoom();
        const error = await room.fail(DELETE + customerNumber);
        expect(error).toMatchObject({
          code: 'refused',
          status: 400,
          message: expect.stringContaining('Customer Records'),
        });
        expect(error.hint).toMatch(/active data profile may refer.*aisec-runtime-dlp-profiles-list/);
        expect(await room.value(GET + customerNumber)).toMatchObject({ status: 'active', name: 'Customer Number' });
        await room.run(`!aisec-runtime-dlp-profiles-delete profile_id=${DLP_IDS.profiles.customerRecords}`);
        expect(await room.value(DELETE + customerNumber)).toMatchObject({ deleted: true });
      },
    );

    scenario.each([
      { answer: { status: 204 }, deleted: true, status: 'Successfully archived' },
      { answer: {}, deleted: true, status: 'Successfully archived' },
      { answer: { answer: 'archived' }, deleted: true, status: 'Successfully archived' },
      { answer: { answer: { message: 'cannot be archived' } }, deleted: false, status: 'cannot be archived' },
    ])('delete-bodies', 'the response $answer is recorded as "$status"', async ({ answer, deleted, status }) => {
      await scripted([{ request: `DELETE ${ALL}/${ID}`, ...answer }], async (room) => {
        expect(await room.value(DELETE + ID)).toEqual({ id: ID, deleted, status });
      });
    });
  });
});
