import { record, string } from '../../lib/output/record.ts';

const device = {
  serial_number: string('Serial number of the device.'),
  status: string('What became of it: CREATED, UPDATED or DELETED where it succeeded.'),
  error: string('What went wrong with this device, if anything did.'),
};

export const DeviceCreate = record('AiSec.RedTeamDeviceCreate', 'Devices Created', 'serial_number', device);

export const DeviceUpdate = record('AiSec.RedTeamDeviceUpdate', 'Devices Updated', 'serial_number', device);

export const DeviceDelete = record('AiSec.RedTeamDeviceDelete', 'Devices Deleted', 'serial_number', device);
