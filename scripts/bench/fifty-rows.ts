import { openTopicList } from './topic-lists.ts';

const list = openTopicList(50);

/** Runs a list of 50 rows repeatedly, as in a war room. */
export async function fiftyRows(runs: number): Promise<void> {
  const { run, render } = await list;
  for (let left = runs; left > 0; left -= 1) {
    const text = await render(await run(), 'markdown');
    if (!text.includes('topic 49')) throw new Error('The table lacks a row.');
  }
}
