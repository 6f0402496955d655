import { registry } from '../../../commands/index.ts';
import { resolveSettings } from '../../../lib/settings/settings.ts';
import { requirement } from '../../contract/claims.ts';
import { modelSecurity } from '../../contract/commands.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, ENVIRONMENT, HOSTS, TENANT } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { idOf, PLANES } from '../goldens.ts';
import type { Fields } from './rooms.ts';

const MGMT = PLANES['models/mgmt'];
const DATA = PLANES['models/data'];
const ID = idOf('model');
const GROUP = idOf('group');

interface List {
  /** Behind `aisec-model-security-`. */
  name: string;
  /** The arguments that it cannot do without. */
  needed?: string;
  address: string;
  /** Member of the response with the records. */
  items: string;
  /** The argument for the position. */
  position: 'offset' | 'skip';
  /** The records are in a member of a record that also has total, limit and offset. */
  inside?: boolean;
  /** The records are texts. */
  texts?: boolean;
}

const lists: readonly List[] = [
  { name: 'scans-list', address: `${DATA}/scans`, items: 'scans', position: 'skip' },
  {
    name: 'scans-violations',
    needed: `uuid=${ID}`,
    address: `${DATA}/scans/${ID}/rule-violations`,
    items: 'violations',
    position: 'offset',
    inside: true,
  },
  {
    name: 'scans-evaluations',
    needed: `scan_uuid=${ID}`,
    address: `${DATA}/scans/${ID}/evaluations`,
    items: 'evaluations',
    position: 'offset',
    inside: true,
  },
  {
    name: 'scans-files',
    needed: `scan_uuid=${ID}`,
    address: `${DATA}/scans/${ID}/files`,
    items: 'files',
    position: 'offset',
    inside: true,
  },
  {
    name: 'labels-keys',
    address: `${DATA}/scans/label-keys`,
    items: 'keys',
    position: 'offset',
    inside: true,
    texts: true,
  },
  {
    name: 'labels-values',
    needed: 'key=env',
    address: `${DATA}/scans/label-keys/env/values`,
    items: 'values',
    position: 'offset',
    inside: true,
    texts: true,
  },
  { name: 'models-list', address: `${DATA}/models`, items: 'models', position: 'skip' },
  {
    name: 'models-versions',
    needed: `model_uuid=${ID}`,
    address: `${DATA}/models/${ID}/model-versions`,
    items: 'model_versions',
    position: 'skip',
  },
  {
    name: 'models-files',
    needed: `model_version_uuid=${ID}`,
    address: `${DATA}/model-versions/${ID}/files`,
    items: 'files',
    position: 'skip',
  },
  { name: 'groups-list', address: `${MGMT}/security-groups`, items: 'security_groups', position: 'skip' },
  { name: 'rules-list', address: `${MGMT}/security-rules`, items: 'rules', position: 'skip' },
  {
    name: 'rule-instances-list',
    needed: `security_group_uuid=${GROUP}`,
    address: `${MGMT}/security-groups/${GROUP}/rule-instances`,
    items: 'rule_instances',
    position: 'offset',
    inside: true,
  },
];

const lineOf = ({ name, needed = '' }: List, args = '') => `!aisec-model-security-${name} ${needed} ${args}`;

const TOTAL = 230;

/** A service with many records, and a page of a hundred at most. */
function serving({ items, texts }: List, odd: { total?: number | null; ignoresSkip?: boolean } = {}) {
  return answering(({ url }) => {
    const query = new URL(url).searchParams;
    const skip = odd.ignoresSkip === true ? 0 : Number(query.get('skip'));
    const size = Math.min(100, Number(query.get('limit')), Math.max(0, TOTAL - skip));
    const records = Array.from({ length: size }, (_, at) => (texts ? `r${skip + at}` : { uuid: `r${skip + at}` }));
    const total_items = odd.total === undefined ? TOTAL : odd.total;
    return { answer: { [items]: records, pagination: { total_items } } };
  });
}

type Room = ReturnType<typeof serving>;

async function namesOf(room: Room, list: List, args: string): Promise<string[]> {
  const value = await room.value(lineOf(list, args));
  const rows: unknown = list.inside === true ? (value as Fields)[list.items] : value;
  if (!Array.isArray(rows)) throw new Error(`${list.name} left no list`);
  return rows.map((row) => (list.texts === true ? row : row.uuid));
}

const names = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => `r${from + at}`);

/** Position and size of each request. */
const windows = ({ requests }: Room) =>
  requests.map(({ url }) => {
    const query = new URL(url).searchParams;
    return [Number(query.get('skip')), Number(query.get('limit'))];
  });

describe.each(lists)('$name', (list) => {
  const room = (odd?: { total?: number | null; ignoresSkip?: boolean }) => serving(list, odd);

  requirement('model-limit-defaults-to-50', 'without limit requests and returns 50 records', async () => {
    const service = room();
    expect(await namesOf(service, list, '')).toEqual(names(0, 50));
    expect(windows(service)).toEqual([[0, 50]]);
    expect(service.requests[0]?.url.split('?')[0]).toBe(list.address);
  });

  test.each([
    { limit: 1, sizes: [1] },
    { limit: 100, sizes: [100] },
    { limit: 101, sizes: [100, 1] },
    { limit: 1000, sizes: [100, 100, 100] },
  ])('limit=$limit of 230 records is fetched in pages of at most 100', async ({ limit, sizes }) => {
    const service = room();
    expect(await namesOf(service, list, `limit=${limit}`)).toEqual(names(0, Math.min(limit, TOTAL)));
    expect(windows(service)).toEqual(sizes.map((size, at) => [at * 100, size]));
  });

  test('starts at skip, and notes the next position', async () => {
    const service = room();
    expect(await namesOf(service, list, `${list.position}=120 limit=105`)).toEqual(names(120, 225));
    expect(windows(service)).toEqual([
      [120, 100],
      [220, 5],
    ]);
    const { readable } = await service.run(lineOf(list, 'limit=20'));
    expect(readable.notes).toEqual([`20 shown, there are 230: continue with ${list.position}=20, or a higher limit.`]);
  });

  test('ends correctly if the service sends no total', async () => {
    const service = room({ total: null });
    expect(await namesOf(service, list, 'limit=1000')).toEqual(names(0, TOTAL));
  });

  scenario('page-repeat', 'notices a service that repeats a page', async () => {
    const { readable } = await room({ ignoresSkip: true }).run(lineOf(list, 'limit=200'));
    expect(readable.notes).toEqual([expect.stringContaining('repeated a page')]);
  });

  test.each(['limit=0', 'limit=-1', 'limit=many', 'POSITION=-1', 'POSITION=1.5'])('%s is refused', async (typed) => {
    const service = room();
    const error = await service.fail(lineOf(list, typed.replace('POSITION', list.position)));
    expect(error).toMatchObject({ exitCode: 2, argument: typed.startsWith('limit') ? 'limit' : list.position });
    expectNone(service.requests, 'requests');
  });
});

requirement.each(lists.filter(({ inside }) => inside === true))(
  'model-offset-defaults-to-0',
  '$name without offset starts at 0, and records it',
  async (list) => {
    expect(await serving(list).value(lineOf(list))).toMatchObject({ total_items: TOTAL, limit: 50, offset: 0 });
  },
);

requirement.each(lists.filter(({ name }) => name.startsWith('models-')))(
  'model-list-skip',
  '$name takes skip as the position',
  async (list) => {
    expect(await namesOf(serving(list), list, 'skip=200')).toEqual(names(200, TOTAL));
  },
);

describe('identifiers', () => {
  const words = [
    'label-keys',
    'versions',
    'rule-instances',
    '..',
    '.',
    '%2e%2e',
    `${ID}/labels`,
    `${ID}?x=1`,
    `${ID}#x`,
  ];
  const isId = (name: string) => /uuid$/.test(name);
  const lines = modelSecurity.flatMap(({ command, arguments: own }) => {
    const ids = own.filter(({ name }) => isId(name));
    const others = own.filter(({ name, required }) => required && !isId(name)).map(({ name }) => `${name}=x`);
    return ids.map(({ name: argument }) => {
      const rest = ids.filter(({ name, required }) => required && name !== argument).map(({ name }) => `${name}=${ID}`);
      return { command, argument, rest: [...rest, ...others].join(' ').replace(/labels=x/, 'labels=`[]`') };
    });
  });

  scenario.each(lines)('path-words', '$command accepts only a UUID for $argument', async (row) => {
    for (const word of words) {
      const room = answering(() => ({ answer: {} }));
      const error = await room.fail(`!${row.command} ${row.argument}=${word} ${row.rest}`);
      expect(error).toMatchObject({ code: 'arguments', exitCode: 2 });
      expect(error.message).toContain(`${row.argument} must be a UUID`);
      expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
    }
  });
});

describe('the family', () => {
  requirement('model-conventions-of-first-document', 'the family has 28 commands under one context root', async () => {
    const declared = Object.keys(registry).filter((name) => name.startsWith('aisec-model-security-'));
    expect(declared.sort()).toEqual(modelSecurity.map(({ command }) => command).sort());
    expect(declared).toHaveLength(28);
    for (const { command, context } of modelSecurity) {
      expect((await registry[command]?.())?.output.record.path).toBe(context);
      expect(context).toMatch(/^AiSec\.ModelSecurity/);
    }
  });

  requirement.each(
    ['AISEC_BASE_URL', 'AISEC_CLIENT_ID', 'AISEC_CLIENT_SECRET', 'AISEC_TSG_ID'].map((name) => ({ name })),
  )('model-connection-parameters', '$name is required, and the error names it', async ({ name }) => {
    const { [name]: left, ...environment } = { ...ENVIRONMENT } as Record<string, string>;
    const { settings } = resolveSettings({ environment });
    const blank = name === 'AISEC_BASE_URL' ? { ...settings, url: '' } : settings;
    const room = answering(() => ({ answer: { scans: [] } }));
    const error = await room.fail('!aisec-model-security-scans-list', { settings: blank });
    expect(error).toMatchObject({ code: 'configuration', exitCode: 3 });
    expect(error.message).toContain(name);
    expectNone(room.requests, 'requests');
  });

  requirement('model-connection-parameters', 'works with insecure=true and without a proxy', async () => {
    const { settings } = resolveSettings({ environment: ENVIRONMENT });
    expect([settings.insecure, settings.proxy]).toEqual([false, false]);
    const room = answering(() => ({ answer: { scans: [] } }));
    await room.run('!aisec-model-security-scans-list', { settings });
    expect(room.requests).toHaveLength(1);
  });

  requirement.each(modelSecurity.map(({ command }) => ({ command })))(
    ['model-client-credentials', 'model-tenant-scope'],
    '$command sends a token of the client credentials, scoped to the tenant group',
    async ({ command }) => {
      const { arguments: own } = modelSecurity.find((one) => one.command === command) ?? { arguments: [] };
      const needed = own.filter(({ required }) => required).map(({ name }) => `${name}=${exampleOf(name)}`);
      const change = command.endsWith('-update') ? (command.includes('instances') ? 'state=BLOCKING' : 'name=n') : '';
      const room = answering(() => ({ answer: { uuid: ID } }));
      await room.run(`!${command} ${needed.join(' ')} ${change}`);
      const form = new URLSearchParams(room.tokenRequests[0]?.body);
      expect(Object.fromEntries(form)).toEqual({
        grant_type: 'client_credentials',
        client_id: ENVIRONMENT.AISEC_CLIENT_ID,
        client_secret: ENVIRONMENT.AISEC_CLIENT_SECRET,
        scope: `profile tsg_id:${TENANT}`,
      });
      for (const { url, headers } of room.requests) {
        expect(url).toMatch(new RegExp(`^${HOSTS.management}/aims/(data|mgmt)/v1/`));
        expect(headers['authorization']).toBe('Bearer script-access-token');
        expect(url).not.toContain(TENANT);
      }
    },
  );

  function exampleOf(name: string): string {
    if (/uuid$/.test(name)) return ID;
    return name === 'labels' ? '`[{"key": "a", "value": "b"}]`' : 'x';
  }
});
