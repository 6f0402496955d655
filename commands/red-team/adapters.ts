import {
  Adapter,
  AdapterCreate,
  AdapterDelete,
  AdapterGet,
  AdapterUpdate,
  AdapterValidation,
} from '../../context/red-team/adapters.ts';
import { base64 } from '../../lib/core/text/utf8.ts';
import { replacing } from '../../lib/runtime/api/body.ts';
import { exclusive, oneOf, type Rule } from '../../lib/runtime/arguments/rules.ts';
import {
  type Api,
  asText,
  command,
  flag,
  type JsonObject,
  json,
  limit,
  many,
  objectsOf,
  one,
  path,
  redTeamManagement,
  skip,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { ADAPTERS, NETWORK_CHANNELS } from '../lookups.ts';
import { NEW_VARIABLES, sentVariables, VARIABLES, withoutSecrets } from './adapter-variables.ts';
import { AGREEMENT } from './agreement.ts';
import { refuseUnlessOnline } from './channel-state.ts';

const all = path`/v1/adapters`;
const adapter = (id: string) => path`/v1/adapters/${id}`;

/** Members of an adapter that a request may have; source: `docs/wire.md`. */
const WRITABLE = ['name', 'description', 'script_b64', 'network_broker_channel_uuid', 'variables'];
const NAME = { maxLength: 255 };

const id = uuid('Identifier of the adapter.', { lookup: ADAPTERS, required: true, positional: true });
const prompt = text('Sample prompt for a trial run of the script; it is not stored.', {
  required: true,
  content: true,
});
const validate = flag(
  'Run the script through its channel: the adapter becomes ACTIVE if the run succeeds; with false it stays a DRAFT.',
  {
    default: 'true',
  },
);
const channel = 'Identifier of the network channel that the script runs through; it must be ONLINE to run.';
const variable = 'Variables of the script, as a JSON array of objects with key, value and type (VAR or SECRET)';

const script = {
  script: text('Script of the adapter, as plain text.', { content: true }),
  script_b64: text('Script of the adapter, in base64.', {
    content: true,
    schema: { pattern: '^[A-Za-z0-9+/]+={0,2}$', title: 'base64 of the standard alphabet, without line breaks' },
  }),
};

/** Checks the length of base64 by arithmetic, because a pattern would be slow on a long string. */
const wholeBase64: Rule = {
  description: 'script_b64 must be padded to a multiple of four characters.',
  check: ({ script_b64 }) =>
    typeof script_b64 === 'string' && script_b64.length % 4 !== 0
      ? { argument: 'script_b64', message: 'script_b64 is not valid base64: its length is not a multiple of four.' }
      : undefined,
};

const scriptRules = [exclusive('script', 'script_b64'), wholeBase64];
const needsScript = [oneOf('script', 'script_b64'), ...scriptRules];

const hints = {
  ...AGREEMENT,
  400: 'To run its script, an adapter needs an ONLINE network_broker_channel_uuid; validate=false saves it as a DRAFT without running it.',
};

interface Given {
  readonly script?: string | undefined;
  readonly script_b64?: string | undefined;
  readonly variables?: readonly JsonObject[] | undefined;
}

/** Converts arguments to the request. */
function asRequest<G extends Given>({ script, script_b64, variables, ...args }: G) {
  return {
    ...args,
    script_b64: script_b64 ?? (script === undefined ? undefined : base64(script)),
    variables: sentVariables(variables),
  };
}

/** Notes why a validated adapter is not ACTIVE. @returns the adapter without secrets */
function saved(adapter: JsonObject, validated: boolean, note: (sentence: string) => void): JsonObject {
  if (validated && adapter['status'] === 'DRAFT') {
    note('The script did not run successfully: !aisec-redteam-adapters-validate shows what it wrote.');
  }
  return withoutSecrets(adapter);
}

export const list = command('aisec-redteam-adapters-list', 'List the adapters, whose scripts reach targets.', {
  effect: 'read',
  args: {
    limit: limit(50),
    skip: skip(),
    search: text('Return only adapters whose name contains this text.'),
    include_target_count: flag('Also count the targets of each adapter, which takes longer.'),
  },
  output: many(Adapter),
  call: ({ limit, skip, ...query }) => redTeamManagement.list(all, { items: 'data', limit, offset: skip, query }),
});

async function read(api: Api, uuid: string): Promise<JsonObject> {
  return withoutSecrets(await api.fetch(redTeamManagement.get(adapter(uuid))));
}

export const get = command('aisec-redteam-adapters-get', 'Get an adapter with its script; its secrets are redacted.', {
  effect: 'read',
  args: { uuid: id },
  output: one(AdapterGet),
  run: ({ uuid }, { api }) => read(api, uuid),
});

export const create = command('aisec-redteam-adapters-create', 'Create an adapter, and test its script.', {
  effect: 'create',
  args: {
    name: text('Name of the adapter.', { required: true, positional: true, schema: NAME }),
    prompt,
    ...script,
    description: text('Description of the adapter.'),
    network_broker_channel_uuid: uuid(channel, { lookup: NETWORK_CHANNELS }),
    variables: json<readonly JsonObject[]>()(`${variable}.`, NEW_VARIABLES, { secret: true }),
    validate,
  },
  rules: needsScript,
  output: one(AdapterCreate),
  hints,
  example:
    'name="HR portal" prompt="Who are you?" script_b64=<script_b64> network_broker_channel_uuid=<uuid> variables=@env:ADAPTER_VARIABLES',
  run: async ({ validate, ...args }, { api, note }) => {
    if (validate) await refuseUnlessOnline(api, args.network_broker_channel_uuid, note);
    const call = redTeamManagement.post(all, asRequest(args), { query: { validate } });
    return saved(await api.fetch(call), validate, note);
  },
});

export const update = command(
  'aisec-redteam-adapters-update',
  'Update an adapter, and test its script; omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      uuid: id,
      prompt,
      name: text('Name of the adapter.', { schema: NAME }),
      ...script,
      description: text('Description of the adapter.', { clearable: true }),
      network_broker_channel_uuid: uuid(channel, { lookup: NETWORK_CHANNELS, clearable: true }),
      variables: json<readonly JsonObject[]>()(
        `${variable}; the complete set. The value null keeps a stored secret, and [] deletes all variables.`,
        VARIABLES,
        { secret: true },
      ),
      validate,
    },
    rules: scriptRules,
    output: one(AdapterUpdate),
    hints,
    example: 'uuid=<uuid> prompt="Who are you?" description="Signs in to the HR portal." validate=false',
    run: async ({ uuid, validate, prompt, ...args }, { api, note, show }) => {
      // The service replaces the whole adapter, so read it first and send all of it again.
      const current = await read(api, uuid);
      const kept = { ...current, variables: sentVariables(current['variables']) };
      const body: JsonObject = { ...replacing(kept, WRITABLE, asRequest(args)), prompt };
      const lost = keysOf(current['variables']).filter((key) => keysOf(body['variables']).indexOf(key) < 0);
      if (lost.length > 0)
        show({ title: 'Variables that are deleted', columns: ['Key'], rows: lost.map((key) => [key]) });
      if (validate) await refuseUnlessOnline(api, body['network_broker_channel_uuid'], note);
      const call = redTeamManagement.put(adapter(uuid), body, { query: { validate } });
      return saved(await api.fetch(call), validate, note);
    },
  },
);

function keysOf(variables: unknown): string[] {
  return objectsOf(variables).map(({ key }) => asText(key));
}

export const remove = command('aisec-redteam-adapters-delete', 'Delete an adapter permanently.', {
  effect: 'delete',
  args: { uuid: id },
  output: one(AdapterDelete),
  hints: { 409: 'Targets use it: change or delete them first.' },
  call: ({ uuid }) => redTeamManagement.delete(adapter(uuid)),
});

export const check = command(
  'aisec-redteam-adapters-validate',
  'Run the script of an adapter and show its output; nothing is saved.',
  {
    effect: 'run',
    outside: true,
    args: {
      network_broker_channel_uuid: uuid(channel, { lookup: NETWORK_CHANNELS, required: true, positional: true }),
      prompt,
      ...script,
      variables: json<readonly JsonObject[]>()(
        `${variable}. Values that are null or redacted are taken from adapter_uuid.`,
        VARIABLES,
        { secret: true },
      ),
      adapter_uuid: uuid('Identifier of an adapter whose stored secrets are used.', { lookup: ADAPTERS }),
    },
    rules: needsScript,
    output: one(AdapterValidation),
    hints: {
      ...AGREEMENT,
      400: 'The network channel must be ONLINE, and every variable needs a value or adapter_uuid.',
    },
    example: 'network_broker_channel_uuid=<uuid> prompt="Who are you?" script_b64=<script_b64> adapter_uuid=<uuid>',
    run: async (args, { api, note }) => {
      await refuseUnlessOnline(api, args.network_broker_channel_uuid, note);
      return api.fetch(redTeamManagement.post(path`/v1/adapters/validate`, asRequest(args)));
    },
  },
);
