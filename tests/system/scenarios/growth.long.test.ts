import { registry } from '../../../commands/index.ts';
import { parseLine, parseWords } from '../../../lib/client/argv.ts';
import { AisecError } from '../../../lib/core/errors.ts';
import { parseJsonText } from '../../../lib/core/json-text.ts';
import { isoDate } from '../../../lib/core/text/date.ts';
import { errorMessageIn } from '../../../lib/runtime/api/failures.ts';
import { path, pathText } from '../../../lib/runtime/api/path.ts';
import { retryAfterOf } from '../../../lib/runtime/api/retry.ts';
import { email, flag, list, number, text, uuid } from '../../../lib/runtime/arguments/builders.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import { parsePath, resolveReferences } from '../../../lib/runtime/arguments/references.ts';
import { didYouMean } from '../../../lib/runtime/arguments/suggest.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import { mergeContext } from '../../../lib/runtime/output/merge.ts';
import { heading } from '../../../lib/runtime/output/readable.ts';
import { parseAddress } from '../../../lib/runtime/settings/address.ts';
import { expectProportion } from '../../support/growth.ts';
import { scenario } from './claims.ts';

/** Runs a function that may throw an AisecError. */
const quietly = (run: () => unknown) => () => {
  try {
    run();
  } catch (error) {
    if (!(error instanceof AisecError)) throw error;
  }
};

describe('time grows in proportion to the size', () => {
  const args = { t: text('T.'), n: number('N.'), f: flag('F.'), l: list('L.'), u: uuid('U.'), e: email('E.') };
  const read = (name: string) => (value: string) =>
    readArguments(
      { name: 'aisec-x', args },
      { name: 'aisec-x', pairs: [{ name, value }], positionals: [] },
      { context: { a: 'v' } },
    );
  const reference = (value: string) => resolveReferences(value, { a: 'v' }, () => undefined);
  const cell = (value: string) =>
    markdown({ title: value, simulated: false, tables: [{ columns: ['a'], rows: [[value]] }], notes: [] });
  const limited = (headers: Record<string, string>) => retryAfterOf({ status: 429, headers, body: '' }, 0);
  const names = Object.keys(registry);

  /** Texts whose part between « and » is repeated. */
  const patterns: { of: string; run: (value: string) => unknown; attacks: readonly string[] }[] = [
    {
      of: 'a line',
      run: (value) => parseLine(`!x ${value}`),
      attacks: ['a="«\\»', 'a="«\\"»"', 'a=«"»', 'a=`«x»', '« »', '«=»', 'a="«\\${»"', '«a »', '«a=1 »'],
    },
    {
      of: 'a word',
      run: (value) => parseWords('x', [value]),
      attacks: ['«a»', '«=»', 'a=«"»'],
    },
    {
      of: 'a path',
      run: parsePath,
      attacks: [
        'a«.a»',
        'a«[0]»',
        'a[«0»',
        'a«(»',
        'a(«val.a»',
        'a(val«.a»)',
        'a(val.a« »)',
        'a(val.a == "«x»)',
        'a(«val.a==a&&»val.a==a)',
        '« »!',
        'a«(val.a==a)»',
      ],
    },
    {
      of: 'a reference',
      run: reference,
      attacks: ['«\\»', '«\\»$', '«${»', '${«a»', '${« »', '«${a}»', 'x«\\${a}»', '«$»', '«{»', '«${a»', '«\\\\ »'],
    },
    {
      of: 'JSON text',
      run: parseJsonText,
      attacks: [
        '«[»',
        '«{"a":»',
        '"«\\\\»',
        '"«\\u0041»"',
        '«1»',
        '«-»',
        '1e«1»',
        '« »',
        '[«1,»1]',
        '[«"a",\n»1]',
        '[«{},»!',
        '"«\n»',
      ],
    },
    {
      of: 'a number',
      run: read('n'),
      attacks: ['«0»', '« »x', '1« »x'],
    },
    {
      of: 'a Boolean',
      run: read('f'),
      attacks: ['« »x', '«true»'],
    },
    {
      of: 'a list',
      run: read('l'),
      attacks: ['«,»', '«a, »', '[«"a",»1]', '« »,'],
    },
    {
      of: 'a UUID',
      run: read('u'),
      attacks: ['«a»', '«0-»', '«00000000-0000-4000-8000-»'],
    },
    {
      of: 'an email address',
      run: read('e'),
      attacks: ['«@»', '«a»', '«a@»', 'a@«b» '],
    },
    {
      of: 'further context',
      run: read('extend-context'),
      attacks: ['«a=b::»', '«:»', '«=»', '«a.»', 'a=«(»'],
    },
    {
      of: 'retry-count',
      run: read('retry-count'),
      attacks: ['«1»', '« »x'],
    },
    {
      of: 'did you mean',
      run: (value) => didYouMean(value, names),
      attacks: ['«a»', '«aisec-runtime-»'],
    },
    {
      of: 'a date',
      run: isoDate,
      attacks: ['«0»', '2026-01-01T00:00:00.«0»x', '« »x', '2026-01-01T00:00:00 «UTC »', '2026-01-01T00:00:00« UTC»'],
    },
    {
      of: 'a heading',
      run: heading,
      attacks: ['«_»', '«a_»', '«- »'],
    },
    {
      of: 'markdown',
      run: cell,
      attacks: [
        '«\u001b»',
        '«\u001b[»',
        '«\u001b]»',
        '«\u009b»',
        '«&»',
        '«&a»',
        '«&#»',
        '«_»',
        '« _»',
        '«_a»',
        '«\\»',
        '«|»',
        '«:/»',
        '«://»',
        '«www.»',
        '«\u200b»',
        '«\r»',
        '«\n»',
        '«\t»',
        '«<»',
        '«*»',
        '«[»',
        '«](»',
        '\u001b[«0»',
        '\u001b[« »',
        '\u001b[0« »é',
        '\u001b]«x»',
        '\u001b]«\u001b»',
        '&«a»',
        'w«w»',
      ],
    },
    {
      of: 'a rate limit',
      run: (value) => limited({ 'retry-after': value }),
      attacks: ['«1»x', '«1.»', '« »x', '«Sat, »'],
    },
    {
      of: 'an error response',
      run: errorMessageIn,
      attacks: ['{"message":"«a»"}', '{"message":"«\\u0001a»"}', '{"message":"« »"}', '"«x»'],
    },
    {
      of: 'a segment',
      run: (value) => pathText(path`/${value}`, () => ''),
      attacks: ['«%»', '«%25»', '«%2e»', '« »x', '«!»', '«.»'],
    },
    {
      of: 'an address',
      run: parseAddress,
      attacks: [
        'https://«a»',
        'https://«a.»',
        'https://«[:»',
        'https://[«:»',
        'https://a«/»',
        'https://a:«1»',
        '«h»',
        'https://«@»',
        'https://«-»',
        'https://a«.»!',
      ],
    },
  ];

  scenario.each(patterns)('redos', 'for hostile strings as $of', async ({ run, attacks }) => {
    for (const attack of attacks) {
      const [before = '', part = '', after = ''] = attack.split(/[«»]/);
      await expectProportion((size) => {
        const value = before + part.repeat(size) + after;
        return quietly(() => run(value));
      });
    }
  });

  scenario('redos', 'for a line of many arguments', async () => {
    await expectProportion((size) => {
      const line = `!x ${Array.from({ length: size }, (_, index) => `a${index}=1`).join(' ')}`;
      return quietly(() => parseLine(line));
    });
  });

  const bombs: { what: string; make: (size: number) => string }[] = [
    { what: 'nested lists', make: (size) => '['.repeat(size) },
    { what: 'nested lists, closed', make: (size) => '['.repeat(90) + '[],'.repeat(size) },
    { what: 'many keys', make: (size) => `{${Array.from({ length: size }, (_, index) => `"k${index}":1`).join(',')}}` },
    {
      what: 'duplicate keys at the end',
      make: (size) => `{${Array.from({ length: size }, (_, index) => `"k${index}":1`).join(',')},"k0":1}`,
    },
    { what: 'one long string', make: (size) => `"${'x'.repeat(size)}"` },
    { what: 'one long string of lone surrogates', make: (size) => `"${'x'.repeat(size)}\ud800"` },
    { what: 'many lines before a syntax error', make: (size) => `[${'1,\n'.repeat(size)}]` },
    { what: 'many numbers', make: (size) => `[${'-1.5e10,'.repeat(size)}0]` },
  ];
  scenario.each(bombs)('json-bombs', 'for JSON of $what', async ({ make }) => {
    await expectProportion((size) => {
      const value = make(size);
      return () => void parseJsonText(value);
    });
  });

  test('for records merged into the context twice', async () => {
    await expectProportion((size) => {
      const write = {
        path: 'AiSec.T',
        key: ['id'],
        value: Array.from({ length: size }, (_, id) => ({ id: String(id) })),
      };
      const context = mergeContext({}, [write]);
      return () => void mergeContext(context, [write]);
    });
  });
});
