import {
  CONTROLS_IN_TEXT,
  INVISIBLE,
  nameOf,
  UNSEEN,
  UNSEEN_IN_TEXT,
  wellFormed,
} from '../../../lib/core/redaction/characters.ts';
import type { Verdict } from '../../../lib/features/gate/decide.ts';
import { junit } from '../../../lib/features/gate/reports.ts';
import { sarif } from '../../../lib/features/gate/sarif.ts';
import { escaped } from '../../../lib/features/scans/escape.ts';
import { jsonText } from '../../../lib/hosts/terminal/ui/json.ts';
import { sanitize } from '../../../lib/hosts/terminal/ui/sanitize.ts';
import { createLog } from '../../../lib/node/log/log.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import { expectNone } from '../../support/expect-none.ts';

const CHARACTERS = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));

/** Lists code points for which an expression and `wanted` disagree. */
function differences(wanted: RegExp, found: RegExp): string[] {
  return CHARACTERS.filter((character) => wanted.test(character) && character.replace(found, '') !== '').map(nameOf);
}

describe('the table of characters', () => {
  test('has every format character and separator of this engine', () => {
    expectNone(differences(/^[\p{Cf}\p{Zl}\p{Zp}]$/u, INVISIBLE), 'characters that INVISIBLE does not match');
  });

  test('has every control character', () => {
    expectNone(differences(/^\p{Cc}$/u, UNSEEN), 'characters that UNSEEN does not match');
    expectNone(differences(/^[^\P{Cc}\t\n\r]$/u, UNSEEN_IN_TEXT), 'characters that UNSEEN_IN_TEXT does not match');
    expectNone(differences(/^[^\P{Cc}\t\n\r]$/u, CONTROLS_IN_TEXT), 'characters that CONTROLS_IN_TEXT does not match');
    expect('\t\r\n'.replace(UNSEEN_IN_TEXT, '')).toBe('\t\r\n');
    expect('\u0000a\t\u007f\u202e\r\n\u009f'.replace(CONTROLS_IN_TEXT, '')).toBe('a\t\u202e\r\n');
  });

  test('has no letter, mark, number or sign of any script, except invisible letters', () => {
    const seen = /^(?![\u115f\u1160\u17b4\u17b5\u3164\uffa0]|[\u{e0100}-\u{e01ef}])[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
    const lost = CHARACTERS.filter((character) => seen.test(character) && character.replace(UNSEEN, '') !== character);
    expectNone(lost.map(nameOf), 'visible characters that are lost');
  });

  test('needs no flag or property that the engine of the platform lacks', () => {
    for (const { flags, source } of [CONTROLS_IN_TEXT, INVISIBLE, UNSEEN, UNSEEN_IN_TEXT]) {
      expect({ flags, source: /\\p|\(\?/.exec(source) }).toEqual({ flags: 'g', source: null });
    }
  });

  test.each([
    ['\u202e', '<U+202E>'],
    ['\u0007', '<U+0007>'],
    ['\u{e0041}', '<U+E0041>'],
    ['\u{110bd}', '<U+110BD>'],
  ])('names %j as %s', (character, name) => expect(nameOf(character)).toBe(name));

  test.each([
    ['a\ud800b', 'a\ufffdb'],
    ['\udc00\udc01\udc02', '\ufffd\ufffd\ufffd'],
    ['\ud800\ud83d\ude00\ude00', '\ufffd\u{1f600}\ufffd'],
    ['\ufffe\uffff', '\ufffd\ufffd'],
    ['plain \u{1f600}', 'plain \u{1f600}'],
  ])('makes %j well-formed', (text, expected) => expect(wellFormed(text)).toBe(expected));
});

describe('a direction override', () => {
  const HOSTILE = 'a\u202eb\u{e0041}c';
  const verdict: Verdict = {
    subject: HOSTILE,
    failed: true,
    summary: HOSTILE,
    findings: [
      {
        ...{
          fingerprint: '0123456789abcdef',
          rule: 'r',
          title: HOSTILE,
          ruleText: HOSTILE,
          severity: 'low',
          level: 'failure',
        },
        ...{ message: HOSTILE, labels: [], place: { uri: HOSTILE } },
      },
    ],
    limits: [],
  };
  const readable = { title: 'T', simulated: false, tables: [{ columns: ['x'], rows: [[HOSTILE]] }], notes: [] };
  const AS_MARKUP = 'a&lt;U+202E&gt;b&lt;U+E0041&gt;c';
  const logged = () => {
    let written = '';
    const stream = { isTTY: true, write: (text: string) => (written += text) };
    createLog({ stream, secrets: () => [] }).warn(HOSTILE);
    return written;
  };

  test.each([
    { what: 'a terminal', text: () => sanitize(HOSTILE), shown: 'a<U+202E>b<U+E0041>c' },
    { what: 'a log for people', text: logged, shown: 'a<U+202E>b<U+E0041>c' },
    { what: 'markdown', text: () => markdown(readable), shown: AS_MARKUP },
    { what: 'a page', text: () => escaped(HOSTILE), shown: AS_MARKUP },
    { what: 'JUnit', text: () => junit(verdict), shown: AS_MARKUP },
    { what: 'SARIF', text: () => sarif(verdict, '1'), shown: 'a<U+202E>b<U+E0041>c' },
  ])('has the same name in $what', ({ text, shown }) => {
    expect(text()).toContain(shown);
    expect(text()).not.toMatch(/[\u202e\u{e0041}]/u);
  });

  test('keeps its value in JSON', () => {
    expect(jsonText(HOSTILE)).toBe('"a\\u202eb\\udb40\\udc41c"');
    expect(JSON.parse(jsonText(HOSTILE))).toBe(HOSTILE);
  });
});
