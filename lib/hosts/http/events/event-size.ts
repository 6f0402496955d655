/** Limits the size of events: the address of the run replaces data that is too large. */
import { isObject } from '../../../core/json.ts';
import type { RunEvent } from '../../../runs/port.ts';

/** Maximum size of the data of one event, in bytes of JSON. */
export const MAX_EVENT_BYTES = 1_000_000;

/** Replaces data that is too large. @param url address of the run, which has the whole result */
export function sizedEvent(event: RunEvent, url: string): RunEvent {
  const { data } = event;
  if (Buffer.byteLength(JSON.stringify(data)) <= MAX_EVENT_BYTES) return event;
  const isRun = event.event === 'state' || event.event === 'end';
  if (!isRun || !isObject(data)) return { ...event, data: { tooLarge: true, resultUrl: url } };
  const { result: _result, problem, ...run } = data;
  const rest = { ...run, ...(problem === undefined ? {} : { problem }), resultUrl: url };
  const fits = Buffer.byteLength(JSON.stringify(rest)) <= MAX_EVENT_BYTES;
  return { ...event, data: fits ? rest : { ...run, resultUrl: url } };
}
