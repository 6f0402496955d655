/** Values and texts on pages: hostile text is always written as text. */
import { bothEditions } from '../../../lib/features/report/page/breakdowns.ts';
import { escaped, html, link } from '../../../lib/features/scans/escape.ts';
import {
  durationBetween,
  figure,
  moment,
  percentage,
  shortenedHtml,
  worded,
} from '../../../lib/features/scans/format.ts';

test.each([
  [figure(1234567.891), '1,234,567.89'],
  [figure(0), '0'],
  [percentage(27.083), '27.08\u00a0%'],
  [moment('2026-11-17T20:25:00Z'), '<time datetime="2026-11-17T20:25:00.000Z">17 November 2026, 20:25 UTC</time>'],
  [moment('2026-11-17T20:25:00.5'), moment('2026-11-17T20:25:00Z')],
  [moment('1 January'), '<bdi>1 January</bdi>'],
  [durationBetween('2026-11-17T20:00:00Z', '2026-11-17T21:20:00Z'), '1 h 20 min'],
  [durationBetween('2026-11-17T20:00:00Z', '2026-11-17T20:00:10Z'), 'less than a minute'],
  [durationBetween('2026-11-17T20:00:00Z', 'x'), undefined],
  [worded('TOOL_MISUSE'), 'Tool misuse'],
  [worded('Own <words>'), 'Own <words>'],
  [shortenedHtml('abc', 3), 'abc'],
  [shortenedHtml('ab\u{1f600}cd', 3), 'ab<span class="cut">… 4 more characters left out</span>'],
  [bothEditions('LLM04:2026'), 'LLM03:2025, LLM04:2026'],
  [bothEditions('LLM05:2025'), 'LLM05:2025, LLM10:2026'],
  [bothEditions('LLM05'), undefined],
  [bothEditions('LLM11:2025'), undefined],
])('%s is written as %s', (shown, expected) => {
  expect(String(shown)).toBe(String(expected));
});

test.each([
  ['<a href="x">\'`&', '&lt;a href=&quot;x&quot;&gt;&#39;&#96;&amp;'],
  ['a\r\nb\u2028c\td', 'a\nb\nc\td'],
  ['\ud83d\ude00 \ud83d \ude00', '\ud83d\ude00 \ufffd \ufffd'],
  ['\ufeff\u00ad\u2060\u3164', '&lt;U+FEFF&gt;&lt;U+00AD&gt;&lt;U+2060&gt;&lt;U+3164&gt;'],
  ['\u{e0041}\u{e007f}', '&lt;U+E0041&gt;&lt;U+E007F&gt;'],
  ['ig\u200bno\u200dre', 'ig&lt;U+200B&gt;no&lt;U+200D&gt;re'],
  ['\u{1f469}\u200d\u{1f680} می\u200cخواهم', '\u{1f469}\u200d\u{1f680} می\u200cخواهم'],
])('the text %j is written as %j', (text, expected) => {
  expect(escaped(text)).toBe(expected);
  expect(html`<p title="${text}">${text}</p>`.toString()).toBe(`<p title="${expected}">${expected}</p>`);
});

test.each([
  ['https://docs.example.com/a?b=1&c="', true],
  ['http://docs.example.com', true],
  ['javascript:alert(1)', false],
  [' javascript:alert(1)', false],
  ['data:text/html,<script>', false],
  ['//evil.example', false],
  ['https:evil', false],
  [`https://${'a'.repeat(400)}`, false],
])('%j may be a link: %s', (address, allowed) => {
  expect(link(address).toString().startsWith('<a ')).toBe(allowed);
});

test('an object in the data is not rendered as markup', () => {
  const forged = JSON.parse('{"text": "<script>", "toString": "x"}') as string;
  expect(() => html`${forged}`.toString()).toThrow();
});
