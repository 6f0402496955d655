/**
 * The last line of a file of rows. It is written when a run has finished, so that a file without it is one that was cut,
 * and it says what the rows before it are.
 */
import { isObject, type JsonObject } from '../json.ts';
import { crc32 } from '../text/crc32.ts';

/** By this member no row is taken for the end, nor the end for a row. */
const MARK = 'aisec';
const BULK_END = 'bulk-end';

/** What the end says of its run. */
export interface RunFacts {
  /** The security profile that decided. */
  readonly profile: string;
  /** The simulated service answered, not a tenant. */
  readonly simulated: boolean;
  /** Scans that may have been made once too often: the run stopped, or lost its connection, while they were sent. */
  readonly repeated_scans: number;
}

export interface BulkEnd extends RunFacts {
  readonly aisec: typeof BULK_END;
  /** How many rows there are. */
  readonly rows: number;
  /** Of the rows, as `crc32:` and eight hexadecimal digits. */
  readonly digest: string;
}

/** A digest of rows in their order. */
export interface RowDigest {
  /** @param json a row as `JSON.stringify` writes it */
  add(json: string): void;
  /** Of all rows so far. */
  text(): string;
}

/** Covers the compact JSON of each row and a line feed behind it: the bytes of the file, unless something wrote them in another way. */
export function rowDigest(): RowDigest {
  const sum = crc32();
  return { add: (json) => sum.add(`${json}\n`), text: () => `crc32:${sum.digest()}` };
}

export function bulkEnd(rows: number, digest: RowDigest, facts: RunFacts): BulkEnd {
  return { [MARK]: BULK_END, rows, digest: digest.text(), ...facts };
}

export function isBulkEnd(value: unknown): value is JsonObject {
  return isObject(value) && value[MARK] === BULK_END;
}
