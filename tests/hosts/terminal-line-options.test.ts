import { complete } from '../../lib/hosts/terminal/complete/completion.ts';
import { splitLine } from '../../lib/hosts/terminal/options/line-options.ts';
import { COMMAND_OPTIONS } from '../../lib/hosts/terminal/options/options.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { expectNone } from '../support/expect-none.ts';
import { historyOf, session } from './terminal-session.ts';
import { registry, rehearse } from './terminal-support.ts';

let catalogue: Awaited<ReturnType<typeof catalogueOf>>;
beforeAll(async () => {
  catalogue = await catalogueOf(registry);
});

describe('options at the end of a line', () => {
  test.each([
    { line: 'a-list --wide', command: 'a-list', words: ['--wide'] },
    { line: '!a x=1 --output json --wide', command: '!a x=1', words: ['--output', 'json', '--wide'] },
    { line: "a --jq '.b | keys'", command: 'a', words: ['--jq', '.b | keys'] },
    { line: 'a --fields=b,c', command: 'a', words: ['--fields=b,c'] },
    { line: 'a x="b --wide"', command: 'a x="b --wide"', words: [] },
    { line: 'a x="b --wide" --wide', command: 'a x="b --wide"', words: ['--wide'] },
    { line: 'a x=`--wide', command: 'a x=`--wide', words: [] },
    { line: 'a x="b --wide c"', command: 'a x="b --wide c"', words: [] },
    { line: 'a "--wide"', command: 'a "--wide"', words: [] },
    { line: 'a --unknown', command: 'a --unknown', words: [] },
    { line: 'a --widely', command: 'a --widely', words: [] },
    { line: 'a x=--wide', command: 'a x=--wide', words: [] },
  ])('$line', ({ line, command, words }) => {
    expect(splitLine(line, COMMAND_OPTIONS)).toEqual({ command, words });
  });
});

describe('in the war room', () => {
  test('apply to one line', async () => {
    const { stdout } = await session([
      ['widget-get cog --output json\r', '"command": "aisec-widget-get"'],
      ['widget-get nut\r', /Name\S* +nut/],
      ["widget-list --jq '.outputs | keys'\r", '"AiSec.Widget"'],
      ['widget-list --output csv --fields name\r', /name\r?\ncog\r?\nnut/],
    ]);
    expect(stdout).not.toContain('"command": "aisec-widget-list"');
  });

  test('a dry run of one line changes nothing', async () => {
    const { requests } = await session([['widget-make name=a --dry-run\r', '/v1/widgets']]);
    expectNone(
      requests.filter(({ method, url }) => method === 'POST' && url.includes('widgets')),
      'requests that change something',
    );
  });

  test.each([
    { typed: 'widget-list --profile x', shown: 'Option --profile cannot be set for one line' },
    { typed: 'widget-list --wide more', shown: '"more" stands after an option.' },
    { typed: 'widget-list --output jason', shown: 'Did you mean "json"?' },
    { typed: 'widget-list --jq . --output csv', shown: 'Option --jq cannot be combined with --output csv.' },
  ])('"$typed" is refused', async ({ typed, shown }) => {
    const { requests } = await session([[`${typed}\r`, shown]]);
    expectNone(requests, 'requests');
  });

  test('the history keeps flags and formats, but no free text', async () => {
    const { state } = await session([
      ['widget-list --wide --output json\r', '"command"'],
      ['widget-make name=a prompt=canary-one --jq .canary-two\r', 'error'],
      ['widget-make name=a prompt=canary-one --fields name\r', 'Made widget'],
    ]);
    expect(historyOf(state)).toEqual([
      'widget-list --wide --output json',
      'widget-make name=a prompt=*** --jq ***',
      'widget-make name=a prompt=*** --fields ***',
    ]);
  });

  test('the history keeps the fields of a list, and marks a filter that it does not keep', async () => {
    const { state } = await session([["widget-list --filter 'name=cog' --sort name:desc --fields name\r", 'cog']]);
    expect(historyOf(state)).toEqual(['widget-list --filter *** --sort name:desc --fields name']);
  });

  test('a masked filter that was recalled is not run', async () => {
    const { requests } = await session([['widget-list --filter ***\r', '--filter is masked (***)']]);
    expectNone(requests, 'requests');
  });

  test('the history keeps the options of a subcommand', async () => {
    const { state } = await session([
      ['gate redteam gone --max-asr 5\r', 'error'],
      ['export out/x.yml --only nothing\r', 'error'],
    ]);
    expect(historyOf(state)).toEqual(['gate redteam gone --max-asr 5', 'export out/x.yml --only nothing']);
  });

  test.each([
    { line: 'widget-list --w', fits: ['--wide'] },
    { line: 'widget-list --output j', fits: ['json', 'jsonl'] },
    { line: 'widget-list --fields n', fits: ['name', 'note'] },
  ])('Tab completes "$line"', ({ line, fits }) => {
    expect(complete(line, catalogue, {}, {})[0]).toEqual(fits);
  });
});

describe('in a quoted command line', () => {
  const LINE = 'widget-get cog --output json';

  test('apply if a person types the line', async () => {
    const { code, stdout } = await rehearse([LINE], { terminal: true, columns: 80 });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ command: 'aisec-widget-get' });
  });

  test.each([
    { what: 'output is not a terminal', given: { terminal: false } },
    { what: 'the line comes from a pipe', given: { terminal: true, input: `${LINE}\n` } },
  ])('are text if $what', async ({ given }) => {
    const { code, stderr } = await rehearse(given.input === undefined ? [LINE] : [], given);
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot stand in this line/);
  });

  test('an option keeps its own value', async () => {
    const { code, stdout } = await rehearse(['--jq', '"a --wide"', 'widget-get cog'], { terminal: true });
    expect([code, stdout.trim()]).toEqual([0, 'a --wide']);
  });
});
