/** No secret reaches an agent, unless the server shows one-time secrets. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changesNothing } from '../../../lib/client/allow.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_FILES, LINE_SECRETS } from '../../support/lines.ts';
import { someOf } from '../../support/runs.ts';
import { type Subject, subjects } from '../../system/laws/subjects.ts';
import { CANARIES, type CanaryService, canaryService, searchFor } from '../../system/secrets/canaries.ts';
import { withoutDeclared } from '../../system/secrets/declared.ts';
import { TROUBLES, type Trouble } from '../../system/secrets/troubles.ts';
import { type ConnectionOptions, closeConnectionsAfterEach, connect, watched } from './support.ts';

closeConnectionsAfterEach();

const CLIENT = canaryService().settings('')['AISEC_CLIENT_ID'] ?? '';
const known = searchFor([...Object.values(CANARIES), ...LINE_SECRETS], CLIENT);

const SUCCESS: Trouble = { what: 'when all calls succeed', fatal: false };

/** A server with its full log, on a service with canaries. */
async function open({ options, wrap }: Trouble, more: ConnectionOptions = {}) {
  let service: CanaryService = canaryService(options, wrap);
  const { simulated, seen, renew } = watched(() => {
    service = canaryService(options, wrap);
    return service;
  });
  const logged: string[] = [];
  const log = { level: 'trace', stream: { write: (line: string) => logged.push(line) }, content: true } as const;
  const { client, folder } = await connect({ ...more, parts: { simulated }, client: { log, ...more.client } });
  for (const [name, text] of Object.entries(LINE_FILES)) writeFileSync(join(folder, name), text);
  const run = async ({ name, command }: Subject, args: Readonly<Record<string, unknown>>, dryRun = false) => {
    renew();
    logged.splice(0);
    const reads = changesNothing(command);
    const progress: unknown[] = [];
    const door = {
      command: name,
      arguments: args,
      ...(command.effect === 'delete' ? { confirm: true } : {}),
      ...(dryRun && !reads ? { dry_run: true } : {}),
    };
    const result = await client.callTool(
      { name: reads ? 'aisec_read' : 'aisec_change', arguments: door },
      { onprogress: (each) => void progress.push(each) },
    );
    const { content } = result;
    const structured = (result.structuredContent ?? {}) as Readonly<Record<string, unknown>>;
    const resources: string[] = [];
    for (const item of content as { type: string; uri?: string }[]) {
      if (item.type !== 'resource_link') continue;
      resources.push(JSON.stringify(await client.readResource({ uri: item.uri ?? '' })));
    }
    return {
      isError: result.isError === true,
      structured,
      /** Where no secret may appear, whatever the command declares. */
      places: {
        content: JSON.stringify(content),
        progress: JSON.stringify(progress),
        resources: resources.join('\n'),
        log: logged.join(''),
      },
    };
  };
  const issued = (text: string) => searchFor(service.issued(), CLIENT)(text);
  const leaks = (text: string) => [...known(text), ...issued(text)];
  return { run, leaks, issued: () => service.issued(), seen };
}

const shown = (secret: string) =>
  Object.entries(CANARIES).find(([, canary]) => canary === secret)?.[0] ?? JSON.stringify(secret.slice(0, 40));

const CASES = [SUCCESS, ...TROUBLES];

test.each(CASES)('shows no secret of any command $what', async (trouble) => {
  const found: string[] = [];
  const { run, leaks } = await open(trouble);
  for (const subject of someOf(subjects, CASES.indexOf(trouble))) {
    const { isError, structured, places } = await run(subject, subject.given, trouble.flags !== undefined);
    const all = { structuredContent: JSON.stringify(structured), ...places };
    for (const [place, text] of Object.entries(all))
      found.push(...leaks(text).map((secret) => `${subject.name}: leaked ${shown(secret)} in ${place}`));
    if (trouble === SUCCESS && isError) found.push(`${subject.name}: failed, expected a result`);
    if (trouble === SUCCESS && places.log === '') found.push(`${subject.name}: logged nothing`);
    if (trouble.fatal && !isError) found.push(`${subject.name}: succeeded, expected a failure`);
  }
  expectNone(found, 'commands that show a secret, or end otherwise than expected');
});

test.each([SUCCESS, ...TROUBLES.filter(({ fatal }) => fatal)])(
  'with allowSecrets secrets appear only where they are declared, $what',
  async (trouble) => {
    const found: string[] = [];
    const { run, leaks } = await open(trouble, { allowSecrets: true });
    for (const subject of someOf(subjects, CASES.indexOf(trouble))) {
      const { structured, places } = await run(subject, subject.given);
      const all = {
        structuredContent: withoutDeclared(JSON.stringify(structured), 'json', subject.command),
        ...places,
      };
      for (const [place, text] of Object.entries(all))
        found.push(...leaks(text).map((secret) => `${subject.name}: leaked ${shown(secret)} in ${place}`));
    }
    expectNone(found, 'commands that show a secret elsewhere');
  },
);

test.each([
  { name: 'aisec-runtime-api-keys-create', path: 'AiSec.ApiKeyCreate', fields: ['api_key', 'auth_code'] },
  { name: 'aisec-runtime-api-keys-regenerate', path: 'AiSec.ApiKeyRegenerate', fields: ['api_key'] },
  { name: 'aisec-redteam-registry-credentials-get', path: 'AiSec.RedTeamRegistryCredentials', fields: ['token'] },
])('$name shows its secrets only with allowSecrets', async ({ name, path, fields }) => {
  const [subject] = subjects.filter((each) => each.name === name) as [Subject];
  for (const allowSecrets of [true, false]) {
    const { run, issued } = await open(SUCCESS, { allowSecrets });
    const { structured } = await run(subject, subject.given);
    const { [path]: record = {} } = structured['outputs'] as Record<string, Record<string, unknown>>;
    const notes = (structured['notes'] as string[]).join('\n');
    expect([notes.includes('in the context'), notes.includes('hidden from this client')]).toEqual([
      allowSecrets,
      !allowSecrets,
    ]);
    for (const field of fields) {
      expect([field, [...issued(), ...LINE_SECRETS].includes(String(record[field]))]).toEqual([field, allowSecrets]);
    }
  }
});

const takers = subjects.flatMap((subject) =>
  Object.keys(subject.command.args)
    .filter((argument) => subject.command.args[argument]?.secret === true)
    .map((argument) => ({ ...subject, argument })),
);

describe('a secret argument', () => {
  const VARIABLE = 'AISEC_CANARY_OF_THE_MACHINE';
  const VALUE = '{"canary": "of-the-machine"}';

  beforeAll(() => {
    process.env[VARIABLE] = VALUE;
  });
  afterAll(() => {
    delete process.env[VARIABLE];
  });

  test('cannot read a variable or a file of the machine', async () => {
    const { run, seen } = await open(SUCCESS);
    const environment = { [VARIABLE]: VALUE };
    const inEnvironment = await open(SUCCESS, { client: { environment } });
    const folder = (await connect()).folder;
    const path = join(folder, 'secret.json');
    writeFileSync(path, VALUE);
    const found: string[] = [];
    for (const { argument, ...subject } of takers) {
      for (const source of [`@env:${VARIABLE}`, `@file:${path}`, '@file:secret.json']) {
        for (const server of [{ run, seen }, inEnvironment]) {
          const { isError, structured, places } = await server.run(subject, { ...subject.given, [argument]: source });
          const all = JSON.stringify([structured, places, server.seen]);
          if (all.includes('of-the-machine')) found.push(`${subject.name} ${argument}=${source}: was read`);
          if (!isError || server.seen.length > 0) found.push(`${subject.name} ${argument}=${source}: was accepted`);
        }
      }
    }
    expectNone(found, 'sources of the machine that an agent reaches');
    expect(takers.length).toBeGreaterThan(4);
  });
});
