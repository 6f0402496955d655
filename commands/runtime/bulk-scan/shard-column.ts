/** The prompts of a shard as a column. The native bundle omits it. */
import type { Column, Item } from '../../../lib/bulk/column.ts';
import type { Shard } from '../../../lib/bulk/shards.ts';

/** Reads the items of a shard as the column that they were read from. */
export function shardColumn({ items }: Shard): Column {
  let left: readonly Item[] | undefined = items.map((item) => ({ ...item, line: 0 }));
  return {
    next: async () => {
      const all = left;
      left = undefined;
      return all;
    },
    bytes: () => 0,
    close: async () => undefined,
  };
}
