/** The goldens of the red-team families: requests, context values, table, credentials and dry run. */

import type { HttpRequest } from '../../../lib/core/ports.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { resolveSettings } from '../../../lib/settings/settings.ts';
import { requirement } from '../../contract/claims.ts';
import { redTeam } from '../../contract/commands.ts';
import type { ContractCommand } from '../../contract/transcription.ts';
import { expectNone } from '../../support/expect-none.ts';
import { ENVIRONMENT, type Exchange, HOSTS, scripted, TENANT } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const ROOT = `${HOSTS.management}/ai-red-teaming`;

/** The planes, such as `GET ${MGMT}/target`. */
export const MGMT = `${ROOT}/mgmt-plane/v1`;
export const DATA = `${ROOT}/data-plane/v1`;
export const BROKER = `${ROOT}/data-plane/network-broker/v1`;

/** One command with all that it sends and all that it leaves. */
export interface Golden {
  command: string;
  /** Title of the case. */
  what: string;
  /** The arguments, as they are typed. */
  args: string;
  script: readonly Exchange[];
  /** The value that is left under the command's context path. */
  value: unknown;
  /** The body of its dry run, where masked secrets change it; null where the dry run makes every request. */
  planned?: unknown;
  /** Its records are an Unknown value, with whatever the service adds to them. */
  asSent?: true;
}

export interface Family {
  /** Beginnings of the command names. */
  prefixes: readonly string[];
  /** Command -> fields that tell its records apart. */
  keys: Readonly<Record<string, readonly string[]>>;
  goldens: readonly Golden[];
}

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const lineOf = ({ command, args }: Golden) => `!${command} ${args}`;

const recordsOf = (value: unknown): Fields[] => [value].flat().filter(isFields);

function declared(command: string): ContractCommand {
  const found = redTeam.find((one) => one.command === command);
  if (found === undefined) throw new Error(`the contract has no ${command}`);
  return found;
}

/** The members of a record; a dotted name is a member of a member, and the empty one is the path itself. */
const membersOf = ({ outputs }: ContractCommand) => [
  ...new Set(Object.keys(outputs).map((name) => name.split('.')[0] ?? '')),
];

/** Registers the tests of one family. */
export function describeGoldens(family: Family): void {
  describeCompleteness(family);
  describeValues(family);
  describeTables(family);
  describeDryRuns(family);
  describeCredentials(family);
}

function describeCompleteness({ prefixes, keys, goldens }: Family): void {
  test(`every command ${prefixes.join('*, ')}* has a golden`, () => {
    const belongs = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
    const commands = redTeam.map(({ command }) => command).filter(belongs);
    expect(commands.length).toBeGreaterThanOrEqual(prefixes.length);
    expect([...new Set(goldens.map(({ command }) => command))].sort()).toEqual([...commands].sort());
    expect(Object.keys(keys).sort()).toEqual([...commands].sort());
  });
}

function describeValues({ keys, goldens }: Family): void {
  scenario.each(goldens)(
    'context-exact',
    '$command ($what) sends the recorded requests and writes the recorded value, with declared fields only',
    async (golden) => {
      const contract = declared(golden.command);
      await scripted(golden.script, async (room) => {
        const { writes } = await room.run(lineOf(golden));
        expect(writes).toStrictEqual([{ path: contract.context, key: keys[golden.command], value: golden.value }]);
        const members = membersOf(contract);
        if (members[0] === '') return;
        for (const record of recordsOf(writes[0]?.value)) expect(Object.keys(record).sort()).toEqual(members.sort());
      });
    },
  );

  const known = goldens.filter(({ command, asSent }) => asSent !== true && membersOf(declared(command))[0] !== '');
  if (known.length === 0) return;
  scenario.each(known)(
    'unknown-response-field',
    '$command ($what) ignores members that the service adds to its responses',
    async (golden) => {
      const script = golden.script.map((exchange) => ({ ...exchange, answer: withMore(exchange.answer) }));
      await scripted(script, async (room) => {
        expect(await room.value(lineOf(golden))).toStrictEqual(golden.value);
      });
    },
  );
}

function describeTables({ keys, goldens }: Family): void {
  requirement.each(goldens)('readable-table', '$command ($what) renders a table with its context', async (golden) => {
    const [key] = keys[golden.command] ?? [];
    await scripted(golden.script, async (room) => {
      const { readable, writes } = await room.run(lineOf(golden));
      const cells = readable.tables[0]?.rows.flat() ?? [];
      const named = key === undefined ? [] : recordsOf(writes[0]?.value).map((record) => String(record[key] ?? ''));
      expectNone(
        named.filter((text) => text !== '' && !cells.includes(text)),
        `values of ${key} that the table leaves out`,
      );
      const table = cells.length === 0 ? /^### .+\n\nNo entries\.\n/ : /^### .+\n\n\|.+\|\n\|(---\|)+\n\|.+\|\n/;
      expect(markdown(readable)).toMatch(table);
    });
  });
}

function describeDryRuns({ goldens }: Family): void {
  const changing = goldens.filter(({ script, planned }) => planned !== null && script.some(changes));
  if (changing.length === 0) return;
  test.each(changing)('$command ($what) in a dry run shows the change and sends only the reads', async (golden) => {
    const at = golden.script.findIndex(changes);
    const change = golden.script[at];
    await scripted(golden.script.slice(0, at), async (room) => {
      const { planned, writes, raw } = await room.run(lineOf(golden), { dryRun: true });
      const [method, url] = change?.request.split(' ') ?? [];
      expect({ planned, writes }).toEqual({ planned: true, writes: [] });
      expect(raw).toEqual({ dry_run: true, method, url, body: golden.planned ?? change?.body ?? null });
    });
  });
}

/** Server address and token address, client, secret and tenant group: a runtime key is no part of it. */
const { AISEC_RUNTIME_API_KEY, AISEC_SCANNER_BASE_URL, AISEC_DLP_BASE_URL, ...needed } = ENVIRONMENT;

function describeCredentials({ goldens }: Family): void {
  requirement.each(goldens)(
    ['red-team-connection-parameters', 'red-team-client-credentials', 'red-team-tenant-group-scope'],
    '$command ($what) requires a token of the client credentials for the tenant group, and no other credential',
    async (golden) => {
      await scripted(golden.script, async (room) => {
        await room.run(lineOf(golden), { settings: resolveSettings({ environment: needed }).settings });
        expect(room.tokenRequests.map(formOf)).toEqual([
          {
            grant_type: 'client_credentials',
            client_id: ENVIRONMENT.AISEC_CLIENT_ID,
            client_secret: ENVIRONMENT.AISEC_CLIENT_SECRET,
            scope: `profile tsg_id:${TENANT}`,
          },
        ]);
        for (const { headers, body } of room.requests) {
          expect(headers).toEqual({
            accept: 'application/json',
            authorization: 'Bearer script-access-token',
            'service-name': 'api',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          });
        }
      });
    },
  );
}

const changes = ({ request }: Exchange): boolean => !request.startsWith('GET ');

function formOf({ body = '' }: HttpRequest): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}

/** Lists of the answers whose members are records. */
const RECORDS = ['data', 'devices'];

/** The answer with a member more, in itself and in each of its records; what lies deeper are Unknown values. */
function withMore(answer: unknown): unknown {
  if (!isFields(answer)) return answer;
  const more = { member_of_tomorrow: { nested: [1, null] } };
  const members = Object.entries(answer).map(([name, value]) => [
    name,
    Array.isArray(value) && RECORDS.includes(name)
      ? value.map((item: unknown) => (isFields(item) ? { ...item, ...more } : item))
      : value,
  ]);
  return { ...Object.fromEntries(members), ...more };
}
