/** The hint for the next page of a list is a line that shows exactly the records that follow. */
import { registry } from '../../commands/index.ts';
import { createService } from '../../fixtures/service/index.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import type { Service } from '../../fixtures/service/types.ts';
import { listedFields } from '../../lib/engine/list-reader.ts';
import { shellWords } from '../../lib/hosts/terminal/options/shell-words.ts';
import { run } from '../unit/report/support.ts';

const STATIC = '2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752';
const DYNAMIC = 'd61a3f90-c8b4-4e27-95d1-4a0f7e2b8c35';
const CUSTOM = '37b9e4c2-0d6f-4a58-a1c7-f5e820d3b946';
/** Identifiers that the simulated tenant has, for lists that need one. */
const NEEDED: Readonly<Record<string, (name: string) => string>> = {
  job_id: (name) => (name.includes('custom') ? CUSTOM : name.includes('goals') ? DYNAMIC : STATIC),
  security_group_uuid: () => MODEL_SEED_IDS.groups.production,
};
const MAX_PAGES = 30;

/** Follows the hints from a line on. @returns the lines that each page prints between the title and the notes */
async function follow(words: readonly string[], service: Service) {
  const pages: string[][] = [];
  let line: readonly string[] = words;
  for (; pages.length < MAX_PAGES; ) {
    const { code, stdout, stderr } = await run([...line, '--output', 'table', '--wide', '--no-pager'], { service });
    if (code !== 0) throw new Error(`${line.join(' ')}: ${stderr}`);
    const lines = stdout.split('\n');
    const head = lines.findIndex((each) => /^\S+(?: +\S+)*$/.test(each) && each === each.toUpperCase());
    const rows = lines.slice(head + 1).map((row) => row.trim().replace(/\s+/g, ' '));
    pages.push(rows.slice(0, rows.indexOf('')));
    const next = lines.findLast((each) => each.startsWith('aisec '));
    if (next === undefined) break;
    line = shellWords(next)
      .slice(1)
      .filter((word) => word !== '--simulate');
  }
  return pages;
}

interface Listing {
  readonly words: readonly string[];
  /** Arguments that count records of a page: of the interface, and of every list. */
  readonly sizes: readonly string[];
  readonly key: string;
}

/** Every list of the interface that has pages, with what it needs. */
async function listings(): Promise<readonly Listing[]> {
  const all = await Promise.all(
    Object.entries(registry).map(async ([name, load]): Promise<Listing[]> => {
      const command = await load();
      // Rows inside one record have no fields of their own to print.
      const fields = command.output.paged === undefined ? listedFields(command) : undefined;
      const sizes = ['limit', 'size'].filter((each) => Object.hasOwn(command.args, each));
      const key = ['uuid', 'id', 'name', ...Object.keys(fields ?? {})].find(
        (each) =>
          fields?.[each] !== undefined && each !== 'created_at' && Object.hasOwn(command.output.record.fields, each),
      );
      const needed = Object.entries(command.args).filter(([, { required }]) => required);
      if (key === undefined || sizes.length === 0 || needed.some(([each]) => NEEDED[each] === undefined)) return [];
      const words = needed.map(([each]) => `${each}=${NEEDED[each]?.(name)}`);
      return [{ words: [name.replace('aisec-', ''), ...words], sizes, key }];
    }),
  );
  return all.flat();
}

describe('the hint for the next page leads to exactly the records that follow', () => {
  test('in every list, with a filter, an order and fields', async () => {
    const service = createService();
    const wrong: string[] = [];
    let followed = 0;
    for (const { words, sizes, key } of await listings()) {
      const choice = ['--filter', `${key}!="no 'such' one."`, '--sort', `${key}:desc`, '--fields', key];
      const [all = []] = await follow([...words, ...choice], service);
      for (const size of all.length < 2 ? [] : sizes) {
        followed += 1;
        const pages = await follow([...words, `${size}=${Math.ceil(all.length / 3)}`, ...choice], service);
        if (JSON.stringify(pages.flat()) !== JSON.stringify(all) || pages.length < 2) {
          wrong.push(`${words[0]} ${size}: ${pages.map(({ length }) => length).join('+')} of ${all.length}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(followed).toBeGreaterThan(20);
  });

  test.each([
    { what: 'a filter of the service', words: ['--filter', 'status=done'] },
    { what: 'an order of the service', list: 'model-security-models-list', words: ['--sort', 'created_at:desc'] },
    { what: 'two filters with quotes', words: ['--filter', 'name~a', '--filter', `target!="it's a \\"."`] },
    { what: 'a filter that ends with a full stop', words: ['--filter', 'name!~x.'] },
    { what: 'fields', words: ['--fields', 'name,uuid'] },
    { what: 'a search for a full stop', list: 'redteam-report-attacks-list', words: [`job_id=${STATIC}`, 'search=.'] },
  ])('with $what', async ({ list = 'redteam-scans-list', words }) => {
    const service = createService();
    const [all = []] = await follow([list, 'limit=500', ...words], service);
    const pages = await follow([list, 'limit=2', ...words], service);
    expect(pages.flat()).toEqual(all);
    expect(pages.length).toBeGreaterThan(1);
  });
});
