import { record, string } from '../../lib/runtime/output/record.ts';

const device = {
  serial_number: string('Serial number of the device.'),
  status: string('Result: CREATED, UPDATED or DELETED if it succeeded.'),
  error: string('Error of this device, if it failed.'),
};

export const DeviceCreate = record('AiSec.RedTeamDeviceCreate', 'Devices Created', 'serial_number', device);

export const DeviceUpdate = record('AiSec.RedTeamDeviceUpdate', 'Devices Updated', 'serial_number', device);

export const DeviceDelete = record('AiSec.RedTeamDeviceDelete', 'Devices Deleted', 'serial_number', device);
