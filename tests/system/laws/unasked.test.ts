/**
 * Requests of lines that have only required arguments: they send these arguments, the defaults, and what the API requires.
 */
import { parseLine } from '../../../lib/client/argv.ts';
import type { HttpRequest } from '../../../lib/core/ports.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import { due } from '../../contract/commands.ts';
import { expectNone } from '../../support/expect-none.ts';
import { inRoom } from './rooms.ts';
import { type Given, lineOf, type Subject, subjects } from './subjects.ts';

interface Sent {
  readonly request: string;
  /** A query parameter, or the path of a value in the body, such as `target.uuid`. */
  readonly name: string;
  readonly value: unknown;
}

/** Members that are sent although the line does not have them, by command, and the source that requires them. */
const WANTED: Readonly<Record<string, { members: readonly string[]; source: string }>> = {
  'aisec-runtime-api-keys-create': { members: ['revoked'], source: 'wire/runtime: a required body constant' },
  'aisec-runtime-customer-apps-update': {
    members: ['model_name', 'ai_agent_framework', 'tsg_id'],
    source: 'wire/runtime: PUT semantics, unsent fields may be reset; tsg_id: argument or configured group',
  },
  'aisec-runtime-dlp-profiles-delete': {
    members: ['name', 'profile_type', 'profile_status'],
    source: 'wire/runtime: a delete is a PATCH with name and type as they were read, and the status',
  },
  'aisec-runtime-dlp-filtering-profiles-replace': {
    members: ['criteria_details', 'exception_rules', 'exclusions', 'rule1', 'rule2'],
    source: 'docs/wire.md, what a replacement may hold: a full PUT, and no argument can express these',
  },
  'aisec-runtime-profiles-create': { members: ['policy'], source: 'wire/runtime: two empty lists when omitted' },
  'aisec-runtime-profiles-update': {
    members: ['active', 'policy'],
    source: 'spec: omitted parts stay unchanged; docs/wire.md: so the whole record is read and sent',
  },
  'aisec-runtime-topics-update': {
    members: ['description', 'examples'],
    source: 'spec: omitted description and examples unchanged; wire/runtime: so the topic is read and sent whole',
  },
  'aisec-runtime-topics-apply': {
    members: ['active', 'policy'],
    source: 'wire/runtime: PUT of the whole policy, active as it is',
  },
  'aisec-redteam-targets-update': {
    members: [
      ...['name', 'description', 'target_type', 'connection_type', 'api_endpoint_type', 'response_mode'],
      ...['session_supported', 'auth_type', 'auth_config', 'connection_params', 'target_metadata'],
      ...['target_background', 'additional_context'],
    ],
    source: 'docs/wire.md, what a replacement may hold: PUT is a replacement',
  },
  'aisec-redteam-adapters-create': { members: ['script_b64'], source: 'wire/red-team: the encoded script' },
  'aisec-redteam-adapters-validate': { members: ['script_b64'], source: 'wire/red-team: the encoded script' },
  'aisec-redteam-adapters-update': {
    members: ['name', 'description', 'script_b64', 'network_broker_channel_uuid', 'variables'],
    source: 'wire/red-team: the current ones are sent again',
  },
  'aisec-redteam-instances-update': {
    members: [
      ...['tsg_id', 'app_id', 'region', 'tenant_instance_name', 'support_account_id', 'support_account_name'],
      ...['created_by', 'internal', 'extra'],
    ],
    source: 'docs/wire.md, what a replacement may hold: the current ones are sent again',
  },
  'aisec-redteam-devices-create': { members: ['instance'], source: 'wire/red-team: of the parent instance' },
  'aisec-redteam-devices-update': { members: ['instance'], source: 'wire/red-team: of the parent instance' },
  'aisec-redteam-eula-accept': { members: ['eula_content'], source: 'wire/red-team: the text that was read' },
  'aisec-redteam-scan-create': { members: ['job_metadata'], source: 'wire/red-team: categories are {} when omitted' },
  'aisec-redteam-sentiment-update': {
    members: ['up_vote', 'down_vote'],
    source: 'wire/red-team: the vote as two flags',
  },
  'aisec-model-security-scans-files': {
    members: ['recursive'],
    source: 'spec: query_path is a prefix; wire/model-security: without recursive the listing is one folder',
  },
};

/** Position and size of the first page; source: docs/wire.md, Paging. */
const isPaging = ({ name, value }: Sent) =>
  ((name === 'skip' || name === 'offset') && value === '0') || (name === 'limit' && value === '100');

/** The required arguments of a successful line, including arguments required by rules. */
function requiredOf({ name, command, given }: Subject): Given {
  const isComplete = (some: Given) => {
    try {
      readArguments(command, parseLine(lineOf(name, some)), {});
      return true;
    } catch {
      return false;
    }
  };
  return Object.keys(given).reduce<Given>((left, argument) => {
    const { [argument]: _, ...others } = left;
    return isComplete(others) ? others : left;
  }, given);
}

/** Every value inside a JSON value, with its path. */
function leaves(value: unknown, path: string): { name: string; value: unknown }[] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length === 0) return [{ name: path, value }];
  return members.flatMap(([name, member]) => leaves(member, path === '' ? name : `${path}.${name}`));
}

function sentIn({ method, url, body = '' }: HttpRequest): Sent[] {
  const { pathname, searchParams } = new URL(url);
  const query = [...searchParams].map(([name, value]) => ({ name, value }));
  const members = body === '' || body === '{}' ? [] : leaves(JSON.parse(body), '');
  return [...query, ...members].map((each) => ({ ...each, request: `${method} ${pathname}` }));
}

/** Reports whether a member is an argument of the line: by name, or by value under a different wire name. */
function isGiven({ name, value }: Sent, given: Given): boolean {
  const names = name.split('.');
  return (
    names.some((part) => part in given) ||
    (typeof value === 'string' &&
      value.length > 3 &&
      Object.values(given).some((each) => linesOf(each).includes(value)))
  );
}

/** The text, and its lines: each line is a prompt of a bulk scan. */
const linesOf = (text: string) => [text, ...text.split('\n')];

const defaults = new Map(due.map(({ command, arguments: all }) => [command, all]));

/** The argument's default in the specification, which was transcribed independently. */
function isDefault({ name, value }: Sent, command: string): boolean {
  const [argument] = (defaults.get(command) ?? []).filter((each) => name.split('.').includes(each.name));
  return argument?.default !== undefined && argument.default === String(value);
}

async function unasked(subject: Subject): Promise<Sent[]> {
  const given = requiredOf(subject);
  const requests = await inRoom(async (room) => {
    // The service refuses some of these requests as incomplete, but they were sent.
    await room.run(lineOf(subject.name, given)).catch(() => undefined);
    return room.requests.filter(({ url }) => !url.endsWith('/oauth2/access_token'));
  });
  return requests
    .flatMap(sentIn)
    .filter((sent) => !isGiven(sent, given) && !isDefault(sent, subject.name) && !isPaging(sent));
}

test('commands send only given arguments, defaults of the interface, and what the API requires', async () => {
  const found: string[] = [];
  const met = new Set<string>();
  for (const subject of subjects) {
    for (const { request, name, value } of await unasked(subject)) {
      const member = name.split('.')[0] ?? name;
      if (WANTED[subject.name]?.members.includes(member) === true) met.add(`${subject.name} ${member}`);
      else found.push(`${subject.name}: ${request} sends ${name}=${JSON.stringify(value)}`);
    }
  }
  expectNone(found, 'members that were sent without being asked for');
  const wanted = Object.entries(WANTED).flatMap(([name, { members }]) => members.map((member) => `${name} ${member}`));
  expectNone(
    wanted.filter((each) => !met.has(each)),
    'exceptions of this test that nothing needs any more',
  );
});
