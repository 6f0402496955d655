import { DeviceCreate, DeviceDelete, DeviceUpdate } from '../../context/red-team/devices.ts';
import { exclusive, oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  type Api,
  type ArgumentValues,
  asText,
  command,
  type JsonObject,
  json,
  many,
  objectsOf,
  PartialError,
  path,
  redTeamManagement,
  type Tools,
  text,
  list as texts,
} from '../../lib/runtime/engine/declare.ts';
import { GROUP, instance } from './instances.ts';

const devicesOf = (tenantId: string) => path`/v1/instances/${tenantId}/devices`;

const MOST = 5;
const SERIAL = { type: 'string', minLength: 1 };

const tenant_id = text('Identifier of the tenant.', { required: true, positional: true });

const single = {
  serial_number: text('Serial number of a single device.'),
  device_name: text('Name of the device.'),
  model: text('Model of the device.'),
  sku: text('Stock keeping unit (SKU) of the device.'),
  device_type: text('Type of the device.'),
  asset_type: text('Type of the asset.'),
  support_account_id: text('Identifier of the support account.'),
};

const ofInstance = 'by default that of the instance.';

const args = {
  tenant_id,
  ...single,
  devices: json<readonly JsonObject[]>()(
    'Devices, at most 5: a JSON array of objects with serial_number and the optional members.',
    {
      type: 'array',
      minItems: 1,
      maxItems: MOST,
      items: { type: 'object', required: ['serial_number'], properties: { serial_number: SERIAL } },
    },
  ),
  created_by: text('Creator of the devices.'),
  app_id: text(`Identifier of the application; ${ofInstance}`),
  region: text(`Region of the devices; ${ofInstance}`),
  tsg_id: text(`Tenant services group of the devices, a string of digits; ${ofInstance}`, { schema: GROUP }),
};

const rules = [oneOf('serial_number', 'devices'), exclusive('devices', ...Object.keys(single))];

/** Builds the body of a change: the devices, and the instance's members that the service requires. */
async function bodyOf(input: ArgumentValues<typeof args>, api: Api) {
  const { tenant_id, devices, created_by, app_id, region, tsg_id, ...device } = input;
  const known = [app_id, region, tsg_id].every((value) => value !== undefined);
  const parent: JsonObject = known ? {} : await api.fetch(redTeamManagement.get(instance(tenant_id)));
  const of = {
    app_id: app_id ?? parent['app_id'],
    region: region ?? parent['region'],
    tenant_id,
    tsg_id: tsg_id ?? parent['tsg_id'],
  };
  const all: readonly JsonObject[] = devices ?? [device];
  return { instance: of, created_by, devices: all };
}

const serialsOf = (devices: readonly JsonObject[]) => devices.map(({ serial_number }) => asText(serial_number));

export const create = command('aisec-redteam-devices-create', 'Create devices of a tenant instance.', {
  effect: 'create',
  args,
  rules,
  output: many(DeviceCreate),
  example: 'tenant_id=support-lab serial_number=SN-0003 device_name=scanner-c',
  run: async (input, tools) => {
    const body = await bodyOf(input, tools.api);
    const answer = await tools.api.fetch(redTeamManagement.post(devicesOf(input.tenant_id), body));
    return outcomes(answer, serialsOf(body.devices), tools);
  },
});

export const update = command('aisec-redteam-devices-update', 'Update devices of a tenant instance.', {
  effect: 'update',
  args,
  rules,
  output: many(DeviceUpdate),
  example: 'tenant_id=support-lab devices=`[{"serial_number": "SN-0003", "device_name": "scanner-c"}]`',
  run: async (input, tools) => {
    const body = await bodyOf(input, tools.api);
    const answer = await tools.api.fetch(redTeamManagement.patch(devicesOf(input.tenant_id), body));
    return outcomes(answer, serialsOf(body.devices), tools);
  },
});

export const remove = command('aisec-redteam-devices-delete', 'Delete devices of a tenant instance permanently.', {
  effect: 'delete',
  args: {
    tenant_id,
    serial_numbers: texts('Serial numbers of the devices, at most 5.', {
      required: true,
      schema: { minItems: 1, maxItems: MOST, items: SERIAL },
    }),
  },
  output: many(DeviceDelete),
  example: 'tenant_id=support-lab serial_numbers=SN-0003,SN-0004',
  run: async ({ tenant_id, serial_numbers }, tools) => {
    const call = redTeamManagement.delete(devicesOf(tenant_id), { serial_numbers: serial_numbers.join(',') });
    return outcomes(await tools.api.fetch(call), serial_numbers, tools);
  },
});

/**
 * Creates one entry for each device. A failed device makes the command partially successful; a device missing from the
 * response gets an empty entry.
 * @param serials the requested devices
 */
function outcomes(answer: JsonObject, serials: readonly string[], { note, partialFailure }: Tools): JsonObject[] {
  const reported = objectsOf(answer['devices']);
  const failed = reported.filter(isFailed);
  if (failed.length > 0) {
    const reasons = failed.map(
      ({ serial_number, error, status }) => `${wordsOf(serial_number)} (${wordsOf(error ?? status)})`,
    );
    partialFailure(
      new PartialError(`${failed.length} of ${serials.length} devices failed: ${reasons.join(', ')}.`, {
        hint: 'The other devices succeeded: fix the errors, and repeat the command for these devices.',
      }),
    );
  }
  const names = reported.map(({ serial_number }) => serial_number);
  const unreported = serials.filter((serial) => names.indexOf(serial) < 0);
  if (unreported.length > 0) note(`The service did not report the outcome of ${unreported.join(', ')}.`);
  return [...reported, ...unreported.map((serial_number) => ({ serial_number }))];
}

function isFailed({ error, status }: JsonObject): boolean {
  return (error ?? '') !== '' || /fail|error|reject/i.test(asText(status ?? ''));
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
