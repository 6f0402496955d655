/** What became of each device: one answer may tell of devices that were done and of others that failed. */
import { asText, type JsonObject, objectsOf, PartialError, type Tools } from '../../lib/declare.ts';

/**
 * One entry for each device. A device that failed makes the whole run partly done; one that the answer does not name
 * has an entry that says nothing.
 * @param serials the devices that were asked for
 */
export function outcomes(answer: JsonObject, serials: readonly string[], { note, partly }: Tools): JsonObject[] {
  const reported = objectsOf(answer['devices']);
  const failed = reported.filter(isFailed);
  if (failed.length > 0) {
    const reasons = failed.map(
      ({ serial_number, error, status }) => `${text(serial_number)} (${text(error ?? status)})`,
    );
    partly(
      new PartialError(`${failed.length} of ${serials.length} devices failed: ${reasons.join(', ')}.`, {
        hint: 'The others are done: put right what the errors name, and repeat the command for these devices alone.',
      }),
    );
  }
  const names = reported.map(({ serial_number }) => serial_number);
  const unreported = serials.filter((serial) => names.indexOf(serial) < 0);
  if (unreported.length > 0) note(`The service does not say what became of ${unreported.join(', ')}.`);
  return [...reported, ...unreported.map((serial_number) => ({ serial_number }))];
}

function isFailed({ error, status }: JsonObject): boolean {
  return (error ?? '') !== '' || /fail|error|reject/i.test(asText(status ?? ''));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
