/** Walks over the new records of a list, the oldest first, although lists of the service begin with the newest record. */
import { timeOf, type Writer } from './cursor.ts';
import type { Records, Source, SourceTools } from './sources.ts';

const PAGE = 100;
/** Records of one page that are read again in the next one, because new records move all others. */
const OVERLAP = 10;

export interface Walk {
  readonly source: Source;
  readonly tools: SourceTools;
  readonly writer: Writer;
  /** Stores the progress now and then. @returns true if the fetch must end */
  readonly isOver: () => boolean;
  /** Takes a page, the newest record first. @returns false if the fetch must end */
  readonly take: (page: Records) => Promise<boolean>;
}

/** Walks down to the first page with an old record, and from there up to the newest page. */
export async function walk(options: Walk): Promise<void> {
  const { source, tools, writer, isOver, take } = options;
  const list = (skip: number) => source.list(tools, { limit: PAGE, skip });
  const createdOf = (record: Records[number]) => timeOf(source.createdOf(record));
  let skip = writer.depth();
  let page = await list(skip);
  while (page.length >= PAGE && !page.some((record) => createdOf(record) < writer.floor)) {
    skip += PAGE;
    writer.goTo(skip);
    if (isOver()) return;
    page = await list(skip);
  }
  while ((await take(page)) && skip > 0) {
    const [newest] = page;
    const joins = (next: Records) =>
      newest === undefined ||
      next.length === 0 ||
      next.some((record) => source.idOf(record) === source.idOf(newest) || createdOf(record) < createdOf(newest));
    skip = Math.max(0, skip - PAGE + OVERLAP);
    // Without a common record, new records have moved the page away from the one before.
    for (page = await list(skip); !joins(page) && !isOver(); page = await list(skip)) skip += PAGE - OVERLAP;
    writer.goTo(skip);
  }
}
