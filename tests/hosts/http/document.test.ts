/** docs/http.md, docs/guard/without-code.md and docs/operate.md: what they show works when it is pasted. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/program.ts';
import { start } from './support.ts';

const run = promisify(execFile);
const page = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const blocks = (name: string, language: string) =>
  Array.from(
    page(name).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
    ([, text = '']) => text,
  );

const TOKEN = 'my-first-token-0123456789';
const ADDRESS = 'http://127.0.0.1:8788';

async function hasCurl(): Promise<boolean> {
  return run('curl', ['--version']).then(
    ({ stdout }) => /^curl (?:7\.(?:8[2-9]|9\d)|[89]\.)/.test(stdout),
    () => false,
  );
}

test('the lines of the page and of the README work in a shell', async () => {
  const lines = [
    ...blocks('docs/http.md', 'sh').slice(1),
    ...blocks('docs/guard/without-code.md', 'sh').slice(1),
    ...blocks('README.md', 'sh').filter((text) => text.includes('curl')),
  ];
  expect(lines.length).toBeGreaterThan(3);
  if (!(await hasCurl())) {
    console.warn('Skipped: there is no curl with --json on this machine.');
    return;
  }
  const server = await start({ token: TOKEN });
  try {
    for (const text of lines) {
      const script = `set -eu\nexport AISEC_SERVE_TOKEN=${TOKEN}\n${text.replaceAll(ADDRESS, server.url)}`;
      const { stdout } = await run('bash', ['-c', script.replaceAll('curl ', 'curl --fail-with-body ')], {
        cwd: temporaryFolder('shell'),
        env: { PATH: process.env['PATH'] ?? '' },
      });
      expect(stdout).toMatch(/"commands":|"outputs":|event: end|"action":/);
    }
  } finally {
    await server.close();
  }
});

test('the page has every route of the description', async () => {
  const text = page('docs/http.md').replace(/\{[a-z_]+\}/g, '{}');
  const { paths } = JSON.parse(page('docs/api/openapi.json')) as { paths: Record<string, object> };
  const routes = Object.keys(paths)
    .filter((path) => !path.startsWith('/v1/commands/aisec-'))
    .map((path) => path.replace(/\{[a-z_A-Z]+\}/g, '{}'));
  expect(routes.length).toBeGreaterThan(12);
  expect(routes.filter((route) => !text.includes(route))).toEqual([]);
});

test('the page has every problem code of the description', () => {
  const text = page('docs/http.md');
  const document = page('docs/api/openapi.json');
  const codes = new Set(Array.from(document.matchAll(/urn:aisec:problem:([a-z-]+)/g), ([, code = '']) => code));
  expect(codes.size).toBeGreaterThan(5);
  expect([...codes].filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
});

test('manifests and alerts are valid YAML, and their measurements exist', async () => {
  const documents = blocks('docs/operate.md', 'yaml').flatMap((text) =>
    parseAllDocuments(text).map((each) => each.toJS() as Record<string, unknown>),
  );
  expect(
    documents.map(({ kind, services, groups }) => kind ?? (services ? 'compose' : groups ? 'alerts' : '')),
  ).toEqual(['compose', 'Deployment', 'Service', 'alerts']);
  const alerts = blocks('docs/operate.md', 'yaml').filter((text) => text.includes('alert:'));
  const names = new Set(alerts.join('\n').match(/aisec_\w+/g));
  const server = await start();
  try {
    const { text } = await server.send('/metrics', { token: 'token-of-the-tests' });
    expect([...names].filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
  } finally {
    await server.close();
  }
  expect(parse(alerts[0] ?? '')).toHaveProperty('groups');
});
