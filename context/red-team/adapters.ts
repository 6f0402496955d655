import { asText, objectsOf } from '../../lib/core/json.ts';
import { boolean, number, record, string, unknown } from '../../lib/runtime/output/record.ts';
import { succeeded } from '../deletion.ts';

const uuid = string('Identifier of the adapter.');
const name = string('Name of the adapter.');
const status = string('ACTIVE when its script ran successfully, else DRAFT.');
const target_count = number('Number of targets that use the adapter.');
const created_at = string('When the adapter was created.');
const updated_at = string('When the adapter was last changed.');
const network_broker_channel_uuid = string('Identifier of the network channel that its script runs through.');

export const Adapter = record(
  'AiSec.RedTeamAdapter',
  'Red-Team Adapters',
  'uuid',
  {
    uuid,
    name,
    status,
    target_count,
    created_at,
    updated_at,
  },
  { firstColumns: ['uuid', 'name', 'status', 'target_count', 'created_at'] },
);

export const AdapterGet = record('AiSec.RedTeamAdapter', 'Red-Team Adapter', 'uuid', {
  uuid,
  name,
  status,
  description: string('Purpose of the adapter.'),
  network_broker_channel_uuid,
  variables: unknown('Variables of the script, each with key, value and type (VAR or SECRET); secrets are redacted.', {
    show: variableLines,
    isList: true,
    members: {
      key: string('Name of the variable.'),
      value: string('Value of the variable; a secret is redacted.'),
      type: string('VAR or SECRET.'),
    },
  }),
  script_b64: string('The script, in base64.', {
    heading: 'Script',
    show: (script) => (typeof script === 'string' ? `${script.length} characters of base64` : script),
  }),
  target_count,
  tsg_id: string('Tenant services group of the adapter.'),
  created_at,
  updated_at,
});

function variableLines(variables: unknown): string[] {
  return objectsOf(variables).map(({ key, type, value }) =>
    type === 'VAR' ? `${asText(key)} = ${asText(value)}` : `${asText(key)} (secret)`,
  );
}

const saved = { uuid, name, status, network_broker_channel_uuid, target_count, created_at };

export const AdapterCreate = record('AiSec.RedTeamAdapter', 'Red-Team Adapter Created', 'uuid', saved);

export const AdapterUpdate = record('AiSec.RedTeamAdapter', 'Red-Team Adapter Updated', 'uuid', {
  ...saved,
  updated_at,
});

export const AdapterDelete = record('AiSec.RedTeamAdapterDelete', 'Red-Team Adapter Deleted', 'uuid', {
  uuid: { ...uuid, argument: 'uuid' },
  is_success: succeeded,
});

export const AdapterValidation = record('AiSec.RedTeamAdapterValidation', 'Red-Team Adapter Validation', [], {
  validated: boolean('Whether the script ran successfully.'),
  stdout: string('Standard output of the script.'),
  stderr: string('Standard error of the script.'),
  traceback: string('Where the script failed.'),
});
