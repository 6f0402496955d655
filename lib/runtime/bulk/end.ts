/**
 * The last line of a result file. A finished run writes it, so a file without it is incomplete; it describes the rows
 * before it.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import { crc32 } from '../../core/text/fingerprint.ts';

/** The member that distinguishes the last line from a row. */
const MARK = 'aisec';
const BULK_END = 'bulk-end';

/** Facts about the run. */
export interface RunFacts {
  /** The security profile of the scans. */
  readonly profile: string;
  /** The responses came from the simulated service. */
  readonly simulated: boolean;
  /** Scans that may have run twice, because the run or its connection ended while they were being sent. */
  readonly repeated_scans: number;
}

export interface BulkEnd extends RunFacts {
  readonly aisec: typeof BULK_END;
  /** Number of rows. */
  readonly rows: number;
  /** Digest of the rows: `crc32:` and eight hexadecimal digits. */
  readonly digest: string;
}

/** Creates a digest of the compact JSON of each row with its line feed, which are the bytes of the file as written. */
export function rowDigest() {
  const sum = crc32();
  return {
    /** Adds a row. @param json as `JSON.stringify` writes it */
    add: (json: string) => {
      // Two calls, because the engine may copy a concatenated text again for each character, which takes quadratic time.
      sum.add(json);
      sum.add('\n');
    },
    /** Returns the digest of all rows so far. */
    text: () => `crc32:${sum.digest()}`,
  };
}

export type RowDigest = ReturnType<typeof rowDigest>;

/** Creates the last line of a result file. */
export function bulkEnd(rows: number, digest: RowDigest, facts: RunFacts): BulkEnd {
  return { [MARK]: BULK_END, rows, digest: digest.text(), ...facts };
}

/** Returns true for the last line of a result file. */
export function isBulkEnd(value: unknown): value is JsonObject {
  return isObject(value) && value[MARK] === BULK_END;
}
