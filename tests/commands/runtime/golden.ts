/** The goldens of every family: requests, the context value and its types, table, credentials and dry run. */
import { isDeepStrictEqual } from 'node:util';
import type { HttpRequest } from '../../../lib/core/ports.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { due } from '../../contract/commands.ts';
import type { ContextType, ContractCommand } from '../../contract/transcription.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { membersAt } from '../../support/members.ts';
import { ENVIRONMENT, type Exchange, HOSTS, scripted, TENANT } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';

/** One command with all that it sends and all that it leaves. */
export interface Golden {
  command: string;
  /** Title of the case. */
  what: string;
  /** The arguments, as they are typed. */
  args: string;
  /** Texts of the files that it is given, by name. */
  files?: Record<string, string>;
  script: readonly Exchange[];
  /** The value that is left under the command's context path. */
  value: unknown;
}

export interface Family {
  /** Beginning of the command names. */
  prefix: string;
  /** Command -> fields that tell its records apart. */
  keys: Readonly<Record<string, readonly string[]>>;
  goldens: readonly Golden[];
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const lineOf = ({ command, args }: Pick<Golden, 'command' | 'args'>) => `!${command} ${args}`;

const portsOf = ({ files = {} }: Golden) => ({ files: memoryFiles({ ...files }) });

const recordsOf = (value: unknown): Fields[] => [value].flat().filter(isFields);

function declared(command: string): ContractCommand {
  const found = due.find((one) => one.command === command);
  if (found === undefined) throw new Error(`the contract has no ${command}`);
  return found;
}

/** Registers the tests of one family. */
export function describeGoldens(family: Family): void {
  describeCompleteness(family);
  describeValues(family);
  describeForms(family);
  describeDryRuns(family);
  const goesTo = (host: string) =>
    family.goldens.every(({ script }) => script.every(({ request }) => request.includes(host)));
  for (const { host, claims } of TOKEN_PLANES) if (goesTo(host)) describeCredentials(family, claims);
}

/** The planes of a token of the client credentials, and the check that only this token is sent there. */
const TOKEN_PLANES = [
  {
    host: HOSTS.management,
    claims: ['management-client-credentials', 'runtime-key-only-for-scans', 'tenant-group-default-scope'],
  },
  { host: HOSTS.dlp, claims: ['dlp-address', 'dlp-client-credentials'] },
];

function describeCompleteness({ prefix, keys, goldens }: Family): void {
  test(`every ${prefix}* command has a golden`, () => {
    const commands = due.map(({ command }) => command).filter((name) => name.startsWith(prefix));
    expect(commands.length).toBeGreaterThan(0);
    expect([...new Set(goldens.map(({ command }) => command))].sort()).toEqual([...commands].sort());
    expect(Object.keys(keys).sort()).toEqual([...commands].sort());
  });
}

function describeValues({ keys, goldens }: Family): void {
  scenario.each(goldens)(
    'context-exact',
    '$command ($what) sends the recorded requests and writes the recorded value, with declared fields only',
    async (golden) => {
      const { context, outputs, outputExtensions = [] } = declared(golden.command);
      await scripted(golden.script, async (room) => {
        const { writes } = await room.run(lineOf(golden), portsOf(golden));
        expect(writes).toStrictEqual([{ path: context, key: keys[golden.command], value: golden.value }]);
        for (const record of recordsOf(writes[0]?.value)) {
          const fields = Object.keys(outputs).filter((name) => !name.includes('.'));
          const own = Object.keys(record).filter((name) => !outputExtensions.includes(name));
          expect(own.sort()).toEqual(fields.sort());
        }
      });
    },
  );

  scenario.each(goldens)(
    'unknown-response-field',
    '$command ($what) ignores members that the service adds to its responses',
    async (golden) => {
      const script = golden.script.map((exchange) => ({ ...exchange, answer: withMore(exchange.answer) }));
      await scripted(script, async (room) => {
        expect(await room.value(lineOf(golden), portsOf(golden))).toStrictEqual(golden.value);
      });
    },
  );
}

function describeForms({ keys, goldens }: Family): void {
  requirement.each(goldens)(
    ['invocation-form', 'context-value-types'],
    '$command ($what), typed as !name argument=value, writes values of the declared types',
    async (golden) => {
      const { outputs } = declared(golden.command);
      await scripted(golden.script, async (room) => {
        const records = recordsOf(await room.value(lineOf(golden), portsOf(golden)));
        expect(records.length).toBeGreaterThan(0);
        const mistyped = records.flatMap((record) =>
          Object.entries(outputs).flatMap(([name, type]) =>
            valuesOf(record, name)
              .filter((value) => !isOfType(type, value))
              .map((value) => `${name} is ${JSON.stringify(value)}, expected ${type}`),
          ),
        );
        expectNone(mistyped, `fields of another type in ${golden.command}`);
      });
    },
  );

  requirement.each(goldens)('readable-table', '$command ($what) renders a table with its context', async (golden) => {
    const [key = ''] = keys[golden.command] ?? [];
    await scripted(golden.script, async (room) => {
      const { readable, writes } = await room.run(lineOf(golden), portsOf(golden));
      const cells = readable.tables[0]?.rows.flat() ?? [];
      const named = recordsOf(writes[0]?.value).map((record) => String(record[key] ?? ''));
      expectNone(
        named.filter((text) => text !== '' && !cells.includes(text)),
        `values of ${key} that the table leaves out`,
      );
      expect(markdown(readable)).toMatch(/^### .+\n\n\|.+\|\n\|(---\|)+\n\|.+\|\n/);
    });
  });
}

function describeDryRuns({ goldens }: Family): void {
  const changing = goldens.filter(({ script }) => script.some(changes));
  // A read-only family has no changes, and an empty table of tests is an error.
  if (changing.length === 0) return;
  test.each(changing)('$command ($what) in a dry run shows the change and sends only the reads', async (golden) => {
    const at = golden.script.findIndex(changes);
    const change = golden.script[at];
    await scripted(golden.script.slice(0, at), async (room) => {
      const { planned, writes, raw } = await room.run(lineOf(golden), { ...portsOf(golden), dryRun: true });
      const [method, url] = change?.request.split(' ') ?? [];
      expect({ planned, writes }).toEqual({ planned: true, writes: [] });
      expect(raw).toEqual({ dry_run: true, method, url, body: withoutSecrets(change?.body) });
    });
  });
}

function describeCredentials({ goldens }: Family, claims: readonly string[]): void {
  requirement.each(goldens)(
    claims,
    '$command ($what) sends a token of the client credentials, for the configured tenant group, and no runtime key',
    async (golden) => {
      await scripted(golden.script, async (room) => {
        await room.run(lineOf(golden), portsOf(golden));
        expect(room.tokenRequests.map(formOf)).toEqual([
          {
            grant_type: 'client_credentials',
            client_id: ENVIRONMENT.AISEC_CLIENT_ID,
            client_secret: ENVIRONMENT.AISEC_CLIENT_SECRET,
            scope: `profile tsg_id:${TENANT}`,
          },
        ]);
        for (const request of room.requests) {
          expect(request.headers).toEqual({
            accept: 'application/json',
            authorization: 'Bearer script-access-token',
            'service-name': 'api',
            ...contentTypeOf(request),
          });
        }
        const sent = JSON.stringify([room.tokenRequests, room.requests]);
        expect(sent).not.toContain(ENVIRONMENT.AISEC_RUNTIME_API_KEY);
      });
    },
  );
}

/** A PATCH is a merge patch; the type of a multipart body is up to the transport, which chooses the boundary. */
function contentTypeOf({ method, body }: HttpRequest): Record<string, string> {
  if (body === undefined) return {};
  return { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
}

const changes = ({ request }: Exchange): boolean => !request.startsWith('GET ');

function formOf({ body = '' }: HttpRequest): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}

/** The authorization code is the one secret that these requests carry. */
function withoutSecrets(body: unknown): unknown {
  if (!isFields(body)) return body ?? null;
  return 'auth_code' in body ? { ...body, auth_code: '(hidden)' } : body;
}

/** Lists that are Unknown values, or go back to the service as they came. */
const UNKNOWN_LISTS = ['errors', 'detection_rules', 'criteria_details', 'exception_rules', 'editable_fields'];

/** The answer with a member more, in itself and in each of its records, but not in what lies deeper. */
function withMore(answer: unknown): unknown {
  if (!isFields(answer)) return answer;
  const more = { member_of_tomorrow: { nested: [1, null] } };
  const members = Object.entries(answer).map(([name, value]) => [
    name,
    Array.isArray(value) && !UNKNOWN_LISTS.includes(name)
      ? value.map((item: unknown) => (isFields(item) ? { ...item, ...more } : item))
      : value,
  ]);
  return { ...Object.fromEntries(members), ...more };
}

/** A field of its own is always there; a member of a value is there as often as it was sent. */
function valuesOf(record: Fields, name: string): unknown[] {
  const values = [...membersAt(record, name)];
  return values.length === 0 && !name.includes('.') ? [undefined] : values;
}

function isOfType(type: ContextType, value: unknown): boolean {
  if (value === null || type === 'Unknown') return value !== undefined;
  const kinds: Readonly<Record<string, string>> = { Number: 'number', Boolean: 'boolean' };
  return isDeepStrictEqual(typeof value, kinds[type] ?? 'string');
}
