/** Shows how much of an upload has been sent. */
import type { Clock, FileEntry, Transport } from '../core/ports.ts';
import { metered, type ShowProgress } from '../core/progress.ts';
import { grouped } from '../core/text/numbers.ts';

const [KB, MB] = [1000, 1_000_000];
/** A larger file is counted in megabytes. */
const MANY = 10 * MB;
/** Time between two reports, and before the first, because most uploads finish at once. */
const PAUSE_MS = 250;

/** Wraps a transport: each upload reports the bytes sent of its file, with rate and time left. */
export function showingUploads(transport: Transport, show: ShowProgress, clock: Pick<Clock, 'elapsed'>): Transport {
  return {
    send: (request) =>
      request.upload === undefined
        ? transport.send(request)
        : transport.send({ ...request, onSent: reportOf(request.upload.file, show, clock) }),
  };
}

function reportOf({ name, size }: FileEntry, show: ShowProgress, clock: Pick<Clock, 'elapsed'>) {
  const [bytesOf, unit] = size !== undefined && size >= MANY ? [MB, 'MB'] : [KB, 'kB'];
  const count = (bytes: number) => grouped(Math.floor(bytes / bytesOf));
  const progress = metered(show, clock, ` ${unit}`);
  let shownAt = clock.elapsed();
  let isShown = false;
  return (bytes: number) => {
    const now = clock.elapsed();
    // The service may work for long on the data that it has received.
    if (isShown && bytes === size) return show(`${name} is sent: waiting for the response`);
    if (now - shownAt < PAUSE_MS) return;
    [shownAt, isShown] = [now, true];
    const of = size === undefined ? '' : ` of ${count(size)}`;
    const total = size === undefined ? undefined : size / bytesOf;
    progress(`Sending ${name}: ${count(bytes)}${of} ${unit}`, { done: bytes / bytesOf, total });
  };
}
