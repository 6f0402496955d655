/** War rooms in which every line succeeds, created quickly: an unchanged service is reused. */
import type { Service } from '../../../fixtures/service/types.ts';
import type { HttpRequest } from '../../../lib/core/ports.ts';
import { LINE_FILES, lineService } from '../../support/lines.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';

let idle: Service | undefined;

/** Opens a room, and releases its service for reuse if nothing in it was changed. */
export async function inRoom<Value>(
  use: (room: WarRoom) => Promise<Value>,
  {
    files = {},
    spoil = (service) => service,
  }: { files?: Readonly<Record<string, string>>; spoil?: (service: Service) => Service } = {},
): Promise<Value> {
  const service = idle ?? lineService();
  idle = undefined;
  const room = warRoom({}, {}, spoil(service));
  // A file may have any name here, even an inherited member's name.
  Object.setPrototypeOf(room.files, null);
  Object.assign(room.files, LINE_FILES, files);
  const value = await use(room);
  if (room.requests.every(isHarmless)) idle = service;
  return value;
}

function isHarmless(request: HttpRequest): boolean {
  return request.method === 'GET' || request.url.endsWith('/oauth2/access_token');
}
