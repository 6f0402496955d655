import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import type { HttpRequest, Transport } from '../../../lib/core/ports.ts';
import { nodeFiles } from '../../../lib/node/files/files.ts';
import { nodeTransport } from '../../../lib/node/http/transport.ts';
import { resolveSettings } from '../../../lib/runtime/settings/settings.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { answering, ENVIRONMENT, type Room, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { closeServersAfterEach, serveHttp } from '../../unit/transport/servers.ts';
import { answerOf, idOf, PLANES } from '../goldens.ts';

const MGMT = PLANES['redteam/mgmt'];
const ID = idOf('prompt_set');
const promptSet = answerOf('redteam-prompt-sets-create', 'every argument');

const { refundAbuse, ideas } = RED_TEAM_IDS.promptSets;
const DOWNLOAD = '!aisec-redteam-prompt-sets-download';
const UPLOAD = '!aisec-redteam-prompt-sets-upload';
const PROMPTS = '!aisec-redteam-prompts-list';

const CSV = 'prompt,goal\r\nRefund me twice.,Grant a refund twice\r\n';
const TEMPLATE = `${MGMT}/custom-attack/download-template/${ID}`;
const UPLOADS = `${MGMT}/custom-attack/upload-custom-prompts-csv?prompt_set_uuid=${ID}`;

const anything = () => answering(() => ({ answer: promptSet }));

/** A war room that has one file. */
function roomWith(text: string, name = 'prompts.csv', options = {}): WarRoom {
  const room = warRoom(options);
  room.files[name] = text;
  return room;
}

/** A service that answers a download with this file. */
function sending(file: { name: string; size: number | undefined; contentType: string } | undefined): Transport {
  return {
    send: async ({ download }) => {
      if (download === undefined) return { status: 200, headers: {}, body: '{"access_token": "t"}' };
      const kept = file === undefined ? {} : { file: { entry: `kept/${file.name}`, ...file } };
      return { status: 200, headers: {}, body: '', ...kept };
    },
  };
}

describe('downloading a template', () => {
  requirement(
    'prompt-set-template-file',
    'saves a CSV file with the columns of the prompt set, and writes nothing to the context',
    async () => {
      const room = warRoom();
      const { writes, files, readable } = await room.run(`${DOWNLOAD} ${refundAbuse}`);
      const name = `prompt_set_${refundAbuse}.csv`;
      const text = Buffer.from(room.downloads[name] ?? []).toString();
      expect(text.split('\r\n')[0]).toBe('prompt,goal,region,customer tier');
      expect(text.split('\r\n').length).toBeGreaterThan(2);
      expectNone(writes, 'writes to the context');
      expect(room.context).toEqual({});
      expect(files).toEqual([
        { entry: `kept/${name}`, name, size: text.length, contentType: 'text/csv; charset=utf-8' },
      ]);
      expect(readable.tables[0]?.rows).toContainEqual(['Name', name]);
      expect(readable.notes).toEqual([
        expect.stringContaining(`!aisec-redteam-prompt-sets-upload uuid=${refundAbuse}`),
      ]);
    },
  );

  requirement(
    'prompt-set-template-file',
    'saves any content, under a default name if the service sends no name',
    async () => {
      const requests: HttpRequest[] = [];
      const inner = sending(undefined);
      const transport: Transport = {
        send: (request) => {
          requests.push(request);
          return inner.send(request);
        },
      };
      await anything().run(`${DOWNLOAD} ${ID}`, { transport });
      const [, request] = requests;
      expect(request).toMatchObject({ method: 'GET', url: TEMPLATE, download: `prompt_set_${ID}.csv` });
      expect(request?.headers).toEqual({
        accept: '*/*',
        authorization: 'Bearer t',
        'service-name': 'api',
      });
    },
  );

  test.each([
    { what: 'nothing', file: undefined },
    { what: 'an empty file', file: { name: 't.csv', size: 0, contentType: 'text/csv' } },
  ])('$what instead of a template causes a note, not a failure', async ({ file }) => {
    const { readable, writes } = await anything().run(`${DOWNLOAD} ${ID}`, { transport: sending(file) });
    expect(readable.notes).toEqual([expect.stringContaining('sent no template')]);
    expectNone(writes, 'writes to the context');
  });
});

describe('uploading prompts', () => {
  const line = `${UPLOAD} uuid=${ID} entryID=prompts.csv`;

  /** Runs the upload of a file on a service that says this. */
  async function uploaded(answer: object, use: (room: Room) => Promise<void>): Promise<void> {
    const body = [{ part: 'file', file: 'prompts.csv', bytes: Buffer.byteLength(CSV) }];
    await scripted([{ request: `POST ${UPLOADS}`, body, ...answer }], use);
  }
  const files = memoryFiles({ 'prompts.csv': CSV });

  requirement.each([
    { what: 'words', answer: { status: 201, answer: { message: 'Done', status: 202 } }, message: 'Done', status: 202 },
    { what: 'nothing', answer: { status: 201 }, message: 'The prompts are uploaded.', status: 201 },
    {
      what: 'an empty object, and more',
      answer: { status: 200, answer: { file_name: 'other.csv', prompt_set_uuid: 'other' } },
      message: 'The prompts are uploaded.',
      status: 200,
    },
  ])(
    'prompt-set-upload-result',
    'the record has prompt set, file, message and HTTP code if the service answers with $what',
    async ({ answer, message, status }) => {
      await uploaded(answer, async (room) => {
        const { settings } = resolveSettings({ environment: ENVIRONMENT });
        const { writes } = await room.run(line, { files, settings });
        const value = { prompt_set_uuid: ID, file_name: 'prompts.csv', message, status };
        expect(writes).toStrictEqual([{ path: 'AiSec.RedTeamPromptSetUpload', key: ['prompt_set_uuid'], value }]);
      });
    },
  );

  scenario('context-exact', 'the file is sent as one part, with the headers of every other request', async () => {
    await uploaded({ status: 201 }, async (room) => {
      await room.run(line, { files });
      const [request] = room.requests;
      expect(request?.upload).toEqual({
        file: { entry: 'prompts.csv', name: 'prompts.csv', size: Buffer.byteLength(CSV) },
        field: 'file',
        contentType: 'text/csv',
        parts: [],
      });
      expect(request?.headers).toEqual({
        accept: 'application/json',
        authorization: 'Bearer script-access-token',
        'service-name': 'api',
      });
    });
  });

  test('a dry run checks the file and shows the request', async () => {
    const room = anything();
    const { planned, raw } = await room.run(line, { files, dryRun: true });
    const body = [{ part: 'file', file: 'prompts.csv', bytes: Buffer.byteLength(CSV) }];
    expect({ planned, raw }).toEqual({ planned: true, raw: { dry_run: true, method: 'POST', url: UPLOADS, body } });
    const empty = memoryFiles({ 'prompts.csv': 'goal\nx\n' });
    expect(await room.fail(line, { files: empty, dryRun: true })).toMatchObject({ argument: 'entryID' });
    expectNone(room.requests, 'requests');
  });

  requirement.each([
    { what: 'prompts and goals', text: CSV, added: [['Refund me twice.', 'Grant a refund twice']] },
    {
      what: 'only prompts',
      text: 'prompt\nOne\nTwo',
      added: [
        ['One', null],
        ['Two', null],
      ],
    },
    { what: 'a byte-order mark', text: '\ufeffprompt,goal\r\nOne,\r\n', added: [['One', null]] },
    { what: 'quotes, commas and lines', text: '"goal","prompt"\n"a ""b""","c, d\ne"\n', added: [['c, d\ne', 'a "b"']] },
  ])('prompt-set-upload-csv', 'a CSV with $what becomes prompts', async ({ text, added }) => {
    const room = roomWith(text);
    await room.run(`${UPLOAD} uuid=${ideas} entryID=prompts.csv`);
    const prompts = await room.values(`${PROMPTS} ${ideas}`);
    expect(prompts.map(({ prompt, goal }) => [prompt, goal])).toEqual(added);
  });

  const headers = ['"Prompt "', 'goal,PROMPT,x', '\ufeff"prompt",goal'];
  requirement.each(headers.flatMap((header) => ['\n', '\r\n'].map((end) => ({ header, end }))))(
    'prompt-set-upload-csv',
    'the header $header, ended by $end, has the prompt column',
    async ({ header, end }) => {
      const room = answering(() => ({ status: 201 }));
      await room.run(line, { files: memoryFiles({ 'prompts.csv': [header, 'a,b,c'].join(end) }) });
      expect(room.requests).toHaveLength(1);
    },
  );

  test.each([
    { what: 'with prompts', text: `prompt,goal\n${'a prompt of one line,\n'.repeat(50_000)}`, pieces: 1 },
    { what: 'with a long first prompt', text: `prompt\n${'p'.repeat(5000)}\n${'x\n'.repeat(50_000)}`, pieces: 6 },
    { what: 'without a line', text: 'p'.repeat(500_000), pieces: 66 },
  ])('reads only the head of a long file $what', async ({ text, pieces }) => {
    const inner = memoryFiles({ 'prompts.csv': text });
    const reads = { pieces: 0, closed: 0 };
    const counted: typeof inner = {
      ...inner,
      read: async (file) => {
        const reader = await inner.read(file);
        return {
          next: () => {
            reads.pieces += 1;
            return reader.next();
          },
          close: async () => {
            reads.closed += 1;
          },
        };
      },
    };
    const room = answering(() => ({ status: 201 }));
    await room.run(line, { files: counted }).catch(() => undefined);
    expect(reads).toEqual({ pieces, closed: 1 });
  });

  scenario.each([
    { what: 'nothing', text: '', problem: 'is empty' },
    { what: 'blank lines', text: '\n \r\n\r\n', problem: 'has no column named prompt' },
    { what: 'only a header', text: 'prompt,goal\r\n', problem: 'has a header, and no prompt' },
    { what: 'another header', text: 'goal,text\na,b\n', problem: 'has no column named prompt' },
    { what: 'columns separated by semicolons', text: 'prompt;goal\na;b\n', problem: 'has no column named prompt' },
    {
      what: 'a picture',
      text: `\ufffdPNG\u001a\u0000${'\u0000\ufffd'.repeat(40_000)}`,
      problem: 'no column named prompt',
    },
    {
      what: 'an open quote',
      text: 'prompt\n"never closed,\n a\n',
      problem: 'has a quote in line 2 that is never closed',
    },
    { what: 'an open quote in its header', text: '"prompt\na\n', problem: 'has no column named prompt' },
  ])('upload', 'a file that holds $what is not sent', async ({ text, problem }) => {
    for (const size of [undefined, Buffer.byteLength(text)]) {
      const room = anything();
      const inner = memoryFiles({ 'prompts.csv': text });
      const some = { ...inner, find: async (entry: string) => ({ ...(await inner.find(entry)), size }) };
      const error = await room.fail(line, { files: some });
      expect(error).toMatchObject({ exitCode: 2, argument: 'entryID', message: expect.stringContaining(problem) });
      expect(error.hint).toContain('!aisec-redteam-prompt-sets-download');
      expectNone(room.requests, 'requests');
    }
  });

  scenario('upload', 'refuses a missing file, a directory and an omitted file', async () => {
    const directory = temporaryFolder('prompts');
    const room = anything();
    const terminal = { files: nodeFiles(directory) };
    expect(await room.fail(line)).toMatchObject({ exitCode: 2, message: expect.stringContaining('no file') });
    const missing = await room.fail(`${UPLOAD} uuid=${ID} entryID=${join(directory, 'no.csv')}`, terminal);
    expect(missing).toMatchObject({ exitCode: 2, message: expect.stringContaining('does not exist') });
    const folder = await room.fail(`${UPLOAD} uuid=${ID} entryID=${directory}`, terminal);
    expect(folder).toMatchObject({ exitCode: 2, message: expect.stringContaining('is a directory') });
    expect(await room.fail(`${UPLOAD} uuid=${ID}`)).toMatchObject({ exitCode: 2, argument: 'entryID' });
    expectNone(room.requests, 'requests');
  });

  scenario('upload', 'refuses a file that is too large for the service, and suggests what to do', async () => {
    const room = answering(() => ({ status: 413, answer: { error: { message: 'too large' } } }));
    const error = await room.fail(line, { files });
    expect(error).toMatchObject({ exitCode: 2, status: 413, hint: expect.stringContaining('Split the file') });
    expect(room.requests).toHaveLength(1);
  });

  const hostile = ['a\r\nX-Evil: 1.csv', 'quo"te.csv', '\u00e9 \ud83d\ude00.csv'];
  scenario.each(hostile.map((name) => ({ name })))(
    'upload',
    'the file name $name is sent unchanged',
    async ({ name }) => {
      const room = roomWith(CSV, name);
      const entry = name.replace(/["\\]/g, '\\$&');
      const value = await room.value(`${UPLOAD} uuid=${ideas} entryID="${entry}"`);
      expect(value).toMatchObject({ file_name: name, prompt_set_uuid: ideas, status: 201 });
      expect(await room.values(`${PROMPTS} ${ideas}`)).toHaveLength(1);
    },
  );

  test.each([
    { entry: '123@45', name: '123@45.csv' },
    { entry: 'prompts.txt', name: 'prompts.txt.csv' },
    { entry: 'PROMPTS.CSV', name: 'PROMPTS.CSV' },
  ])('the file $entry is sent as $name if the host does not know its name', async ({ entry, name }) => {
    const room = answering(() => ({ status: 201 }));
    const value = await room.value(`${UPLOAD} uuid=${ID} entryID=${entry}`, { files: memoryFiles({ [entry]: CSV }) });
    expect(value).toMatchObject({ file_name: name });
    expect(room.requests[0]?.upload?.file).toMatchObject({ entry, name });
  });
});

describe('an upload over HTTP', () => {
  closeServersAfterEach();

  scenario.each(['quo"te.csv', 'a\r\nX-Evil: 1.csv'].map((name) => ({ name })))(
    'upload',
    'the bytes of the file and the name $name arrive unchanged',
    async ({ name }) => {
      const directory = temporaryFolder('prompts');
      const bodies: Buffer[] = [];
      const { port } = await serveHttp(async (request, response) => {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(piece);
        if (request.url === '/token') return response.end('{"access_token": "a", "expires_in": 900}');
        bodies.push(Buffer.concat(pieces));
        expect(request.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
        return response.writeHead(201).end();
      });
      const address = `http://127.0.0.1:${port}`;
      const environment = { ...ENVIRONMENT, AISEC_BASE_URL: address, AISEC_TOKEN_URL: `${address}/token` };
      const transport = nodeTransport({ insecure: false, proxy: false });
      try {
        const bytes = Buffer.from('\ufeffprompt\r\n"Tab\t, \u00e9 and ""quotes"""\r\n');
        writeFileSync(join(directory, name), bytes);
        const { settings } = resolveSettings({ environment });
        const entry = join(directory, name).replace(/["\\]/g, '\\$&');
        const line = `${UPLOAD} uuid=${ID} entryID="${entry}"`;
        const value = await anything().value(line, { files: nodeFiles(directory), transport, settings });
        expect(value).toMatchObject({ status: 201, file_name: name });
        const shown = name.replace('"', '%22').replace('\r\n', '%0D%0A');
        const [head = '', ...rest] = bodies[0]?.toString('latin1').split('\r\n\r\n') ?? [];
        expect(head.split('\r\n').slice(1)).toEqual([
          `Content-Disposition: form-data; name="file"; filename="${shown}"`,
          'Content-Type: text/csv',
        ]);
        expect(rest.join('\r\n\r\n')).toContain(`${bytes.toString('latin1')}\r\n--`);
      } finally {
        await transport.close();
      }
    },
  );
});
