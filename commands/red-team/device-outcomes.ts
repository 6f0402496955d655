/** Reads the outcome of each device: one response may contain successes and failures. */
import { asText, type JsonObject, objectsOf, PartialError, type Tools } from '../../lib/engine/declare.ts';

/**
 * Creates one entry for each device. A failed device makes the command partially successful; a device that is missing in
 * the response has an empty entry.
 * @param serials the requested devices
 */
export function outcomes(
  answer: JsonObject,
  serials: readonly string[],
  { note, partialFailure }: Tools,
): JsonObject[] {
  const reported = objectsOf(answer['devices']);
  const failed = reported.filter(isFailed);
  if (failed.length > 0) {
    const reasons = failed.map(
      ({ serial_number, error, status }) => `${text(serial_number)} (${text(error ?? status)})`,
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

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
