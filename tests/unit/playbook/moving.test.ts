import { readFileSync } from 'node:fs';
import { registry } from '../../../commands/index.ts';
import { expectNone } from '../../support/expect-none.ts';

const PAGE = readFileSync(new URL('../../../docs/moving.md', import.meta.url), 'utf8');

/** The rows of the table of command names: prefix there, prefix here, and what follows both. */
function names(): { there: string; here: string }[] {
  const rows = Array.from(PAGE.matchAll(/^\| `(prisma-airs-[a-z-]*)` \| `(aisec-[a-z-]*)` \| (.*) \|$/gm));
  return rows.flatMap(([, there = '', here = '', rest = '']) =>
    Array.from(rest.matchAll(/`([a-z-]+)`/g), ([, end = '']) => ({ there: there + end, here: here + end })),
  );
}

describe('docs/moving.md', () => {
  test('has each command once, with its name in the public pack', () => {
    expect(
      names()
        .map(({ here }) => here)
        .sort(),
    ).toEqual(Object.keys(registry).sort());
    for (const { there, here } of names()) expect(there.replace(/^prisma-airs-/, 'aisec-')).toBe(here);
  });

  test('names only existing commands and context paths', async () => {
    const paths = new Set<string>();
    for (const load of Object.values(registry)) {
      const { output, job } = await load();
      for (const record of [output.record, job?.output.record]) {
        for (const field of Object.keys(record?.fields ?? {})) paths.add(field);
      }
    }
    const [, context = ''] = /## Context\n([\s\S]*?)\n## Values/.exec(PAGE) ?? [];
    const renamed = Array.from(context.matchAll(/^\|[^|]*\| ((?:`[a-z_]+`(?:, )?)+) \|$/gm), ([, cells = '']) => cells);
    const fields = renamed.flatMap((cells) => cells.match(/[a-z_]+/g) ?? []);
    expect(fields.length).toBeGreaterThan(6);
    expectNone(
      fields.filter((field) => !paths.has(field)),
      'fields that no command writes',
    );
  });
});
