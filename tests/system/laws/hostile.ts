/** Hostile texts and values. */
import fc from 'fast-check';
import { anyCharacter } from '../../support/characters.ts';

const ESC = '\u001b';

const MARKUP = [
  ...['![](http://evil.example.com/x.png)', '![x](//evil)', '[a](javascript:alert(1))', '[a]: http://evil.example.com'],
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=1>',
    '<http://evil.example.com>',
    '</td></table><b>',
    '&lt;b&gt;',
  ],
  ...['http://evil.example.com', 'HTTPS://evil.example.com', 'www.evil.example.com', 'ftp://evil', '|', '\\|', 'a|b|c'],
  ...['\n| x | y |\n|---|---|\n', '```', '`', '**b**', '_i_', '~~s~~', '# h', '---', '\n\n# h\n', '\r\n', '\r', '\\'],
];

const TERMINAL = [
  ...[
    `${ESC}[31mred`,
    `${ESC}[2J${ESC}[1;1H`,
    `${ESC}]0;owned\u0007`,
    `${ESC}]8;;http://evil${ESC}\\x${ESC}]8;;${ESC}\\`,
  ],
  ...[
    `${ESC}Pq#0${ESC}\\`,
    `${ESC}]0;no end`,
    ESC,
    `${ESC}c`,
    '\u009b31m',
    '\u009d0;x\u009c',
    '\u0007',
    '\b\b\b',
    '\u007f',
  ],
];

const UNSEEN = [
  ...['\0', '\u2028', '\u2029', '\u202egnp.exe', '\u2066x\u2069', '\u200b', '\u200d', '\ufeff', '\u00ad', '\u061c'],
  ...['\u{e0041}\u{e0042}\u{e007f}', '\u180e', '\u3164', '\u0085', '\u00a0', '\t', '\ud800', '\udfff', 'x\udc00\ud800'],
];

const PATHS = [
  ...[
    '..',
    '.',
    ' .. ',
    '../../etc/passwd',
    '..%2f..%2fx',
    '%2e%2e',
    '%2E.',
    '%252e%252e',
    '.%00.',
    'a/b',
    'a\\b',
    'a;b',
  ],
  ...[
    'a?x=1',
    'a#x',
    '%2f',
    '%',
    '%zz',
    '//evil.example.com/',
    'x@evil.example.com:80',
    'label-keys',
    'probe',
    'validate',
  ],
];

const OBJECTS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'constructor.prototype.polluted'],
  ...['{"__proto__": {"polluted": 1}}', '{"constructor": {"prototype": {"polluted": 1}}}', '[{"__proto__": []}]'],
  ...['{"toString": 1, "valueOf": 1}', '{"a": 1, "a": 2}', '{"length": 1e9}', '[null]', '{}', '[]', '[[]]', '{"": ""}'],
  ...[
    '[1, "a", true, null, {}]',
    '"\\ud800"',
    '{"a": "\\u001b[31m"}',
    '"text"',
    'null',
    '{',
    '[1,]',
    '\ufeff{}',
    'NaN',
  ],
];

const NUMBERS = [
  ...['-1', '0', '-0', '1', '1e3', '1e400', '0x10', '007', '9007199254740991', '9007199254740993', '999999999999999'],
  ...['-999999999999999', '12345678901234567890', '1.5', 'Infinity', '٣', '1_000', '+5'],
];

const REFERENCES = [
  ...[
    '${AiSec.Evil}',
    'a ${AiSec.Evil} b',
    '${AiSec.Evil.x}',
    '${AiSec.None}',
    '${AiSec.Evil.[0]}',
    '${',
    '${}',
    '\\${x}',
  ],
  ...[
    '${AiSec.Evil(val.x == "1").y}',
    '${jndi:ldap://evil}',
    '${__proto__}',
    '${constructor.prototype}',
    '${AiSec.__proto__}',
  ],
  ...['@env:PATH', '@file:/etc/passwd', '@env:', '$&', '$1', '${${AiSec.Evil}}'],
];

const WORDS = [
  ...[
    '',
    ' ',
    '\t\n ',
    'null',
    'undefined',
    'true',
    'FALSE',
    'yes',
    '"',
    "'",
    '"quoted"',
    "'",
    '" force=true',
    '` x=1 `',
  ],
  ...['--force', '-x', '!aisec-runtime-topics-list', 'a=b', ',', ',,a,,', 'a, b', '=cmd|calc', '名前😀', 'e\u0301'],
];

/** Long or nested values, which cost a program time or stack. */
const LARGE = [
  'x'.repeat(30_000),
  'ab '.repeat(8000),
  '漢'.repeat(4000),
  `${ESC}]`.repeat(5000),
  '\\'.repeat(9999),
  '|'.repeat(5000),
  '${'.repeat(5000),
  `${'%25'.repeat(2000)}2e`,
  ','.repeat(5000),
  '['.repeat(20_000),
  `${'['.repeat(99)}1${']'.repeat(99)}`,
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
];

const SMALL = [MARKUP, TERMINAL, UNSEEN, PATHS, OBJECTS, NUMBERS, REFERENCES, WORDS].flat();

/** One of the texts above, several of them in sequence, or any characters. */
export const hostileText = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...SMALL) },
  {
    weight: 5,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...SMALL), fc.string({ maxLength: 4 })), { minLength: 2, maxLength: 6 })
      .map((parts) => parts.join('')),
  },
  { weight: 3, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...LARGE) },
);

/** Texts that can be found again in output: not empty, not a number, not a meaningful word. */
export const hostileMarkedText = hostileText.map((text) => `q7z${text.length > 2000 ? text.slice(0, 2000) : text}z7q`);

/** Nested deeper than the stack allows: a JSON parser accepts it, and code that walks through it must not. */
export const DEEP_JSON = `${'['.repeat(30_000)}1${']'.repeat(30_000)}`;

const AWKWARD = [
  ...['{"toString": 1, "valueOf": 1}', '{"toJSON": 1}', '{"__proto__": {"polluted": 1}}', '{"constructor": {"x": 1}}'],
  ...[
    '{"length": 4294967296}',
    '{"then": 1}',
    '[[[["a"]]]]',
    '[null]',
    '[]',
    '{}',
    '-0',
    '1e308',
    '-1',
    '0.1',
    '9007199254740993',
  ],
  ...['true', 'false', 'null', '""', '"\\ud800"', '{"x": [{"y": "|"}], "": "\\u001b[31m"}'],
];

/** Any JSON value of ordinary depth. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...AWKWARD).map((text): unknown => JSON.parse(text)) },
  { weight: 3, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
