/** A tenant whose every field is an attack on the page, and the traces that an attack would leave. */
import { createService } from '../../fixtures/service/index.ts';
import { startServer } from '../../fixtures/service/server.ts';
import type { Service } from '../../fixtures/service/types.ts';
import { isObject } from '../../lib/core/json.ts';

/** Markup, addresses, templates, escape sequences, bidirectional and invisible characters, and right-to-left text. */
export const HOSTILE = [
  '</style></title></textarea>--><script>document.documentElement.dataset.owned="1"</script>',
  '<img src="http://elsewhere.test/image" onerror="document.documentElement.dataset.owned=1"><b data-owned>bold</b>',
  '<iframe srcdoc="<script>top.document.documentElement.dataset.owned=1</script>"></iframe><base href="http://elsewhere.test/">',
  '"\'` onmouseover=x() [a](javascript:alert(1)) ![x](http://elsewhere.test/x.png) javascript:alert(1) data:text/html,x',
  '{{7*7}} ${7*7} ${AiSec.Evil} <%= 7 %> &lt;b&gt; __proto__ constructor',
  '\u202eevil\u2066 \u001b[31mred\u001b]0;x\u0007 \u0000 \u200b\u00ad\u{e0041} مرحبا بالعالم ]]>',
].join(' ');

/** Words that control the program; it would refuse other values. */
const CONTROL = /^([A-Z][A-Z_]+|[a-z_]{2,24}|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\d.*|\d+|)$/;
/** Members whose texts the next line needs. */
const KEYS = /^(access_token|token_type|.*_?id|uuid|report_url|upload_url|url)$/i;

function hostile(value: unknown): unknown {
  if (typeof value === 'string') return CONTROL.test(value) ? value : `${value} ${HOSTILE}`;
  if (Array.isArray(value)) return value.map(hostile);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      KEYS.test(name) && typeof each === 'string' ? each : hostile(each),
    ]),
  );
}

/** Serves a tenant in which people wrote attacks into every field. */
export async function hostileTenant() {
  const service = createService();
  const handle: Service['handle'] = (request, clock) => {
    const response = service.handle(request, clock);
    if (!response.headers['content-type']?.includes('json') || response.body === '') return response;
    return { ...response, body: JSON.stringify(hostile(JSON.parse(response.body))) };
  };
  const server = await startServer({ ...service, handle }, { port: 0 });
  return { settings: service.settings(server.origin), close: () => server.close() };
}

/**
 * A script that lists traces of an attack in a document and its frames: markup, links that run scripts, and text that
 * changes the direction of text around it.
 */
export const TRACES = `(() => {
  const found = [];
  const look = (page, where) => {
    const complain = (text) => found.push(where + text);
    if (page.documentElement.dataset.owned !== undefined) complain('a script ran');
    const markup = '[data-owned], object, embed, base, body img, form[action], script:not([src="/page/page.js"])';
    for (const element of page.querySelectorAll(markup)) complain('markup ' + element.outerHTML.slice(0, 100));
    for (const element of page.querySelectorAll('*'))
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on')) complain('attribute ' + name);
        if (/^(href|src|action|formaction|xlink:href)$/.test(name) && /^\\s*(javascript|data|vbscript|blob):/i.test(value) && value !== 'data:,')
          complain('address ' + value.slice(0, 100));
        if (name === 'href' && /^https?:/i.test(value) && !/noopener/.test(element.rel)) complain('link without noopener ' + value.slice(0, 100));
      }
    const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (!/[\\u202a-\\u202e\\u2066-\\u2069]/.test(data) || parentElement.closest('script, style, option, textarea') !== null) continue;
      const { display, unicodeBidi } = page.defaultView.getComputedStyle(parentElement);
      if (display === 'inline' && !/isolate|plaintext/.test(unicodeBidi)) complain('text that turns its neighbours: ' + parentElement.outerHTML.slice(0, 100));
    }
    for (const frame of page.querySelectorAll('iframe')) {
      try { look(frame.contentDocument, where + 'frame: '); } catch { complain('frame without access'); }
    }
  };
  look(document, '');
  return found;
})()`;
