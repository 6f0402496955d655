import fc from 'fast-check';
import { parse } from 'yaml';
import { yamlText } from '../../lib/hosts/terminal/render/yaml.ts';
import { scenario } from '../system/scenarios/claims.ts';

const AMBIGUOUS = [
  ...['yes', 'No', 'ON', 'off', 'y', 'N', 'true', 'null', '~', '', '=', '<<', '-', '?', '!x', '&a', '*a', '%a', '@a'],
  ...['1:30', '1:30:15.5', '0o7', '010', '0x1F', '0b11', '1_000', '1e3', '.5', '.inf', '-.INF', '.nan', '+1', '5.'],
  ...['2027-01-31', '2027-01-31T10:00:00Z', 'a\u2028b', 'a\u2029b', 'a\u0085b', '\ufeffx', 'a\u00a0b', 'x\u007f'],
  ...['a: b', 'a #b', 'a\nb', 'a\n\n', ' a', 'a ', '\ta', 'a\rb', 'a\n---\nb', '...', '---', 'a\\nb', '"a"', "'a'"],
];

const readers = ['1.1', '1.2'] as const;

scenario('yaml-11', 'means the same to readers of both versions: texts that look like something else', () => {
  for (const text of AMBIGUOUS)
    for (const version of readers)
      for (const value of [text, { key: text }, { [text]: [text] }])
        expect({ text, version, value: parse(yamlText(value), { version }) as unknown }).toEqual({
          text,
          version,
          value,
        });
});

scenario('yaml-11', 'quotes what other readers of 1.1 parse as line ends, numbers, times or keywords', () => {
  for (const text of AMBIGUOUS)
    expect(yamlText(text)).toMatch(/^(?:"[^\u0085\u2028\u2029]*"|\|-?\n[\s\S]*|a: b|a #b|a\\nb)$/);
});

scenario('yaml-11', 'means the same to readers of both versions: any value', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...AMBIGUOUS));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        text.filter((name) => name !== '__proto__'),
        tie('value'),
        { maxKeys: 4, noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (each) => {
      for (const version of readers) expect(parse(yamlText(each), { version })).toEqual(each);
    }),
  );
});
