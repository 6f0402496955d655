/** Annotations of a gate, read as the runner of GitHub Actions does. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { withoutRunnerCommands } from '../../lib/hosts/terminal/render/sanitize.ts';
import { temporaryFolder } from '../support/folder.ts';
import { workflowCommands } from '../system/pipelines/github.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { run } from './terminal-support.ts';

const EVIL =
  '\n::notice title=x::pwned\n ::set-output name=passed::true\n##[add-mask]a\r::error::pwned\u2028::warning::w';
const folder = temporaryFolder('annotations');
const file = join(folder, 'run.jsonl');
const row = {
  row: 1,
  action: 'block',
  scan_id: `s${EVIL}`,
  prompt: `p${EVIL}`,
  prompt_detected: { [`d${EVIL}`]: true },
};
writeFileSync(file, `${JSON.stringify(row)}\n`);
const policy = join(folder, 'policy.yml');
writeFileSync(policy, 'version: 1\n"a\\n::error::pwned ##[error]x": 1\n');

const GATE = ['gate', 'bulk', file, '--annotations'];

scenario.each([
  { argv: GATE, ours: 2 },
  { argv: [...GATE, '--explain'], ours: 2 },
  { argv: [...GATE, '--output', 'json'], ours: 2 },
  { argv: [...GATE, '--policy', policy], ours: 0 },
  { argv: ['gate', 'bulk', `${file}\n::error::pwned`, '--annotations'], ours: 0 },
])('annotation-injection', 'the runner obeys only annotations of the gate: $argv', async ({ argv, ours }) => {
  const { stdout, stderr } = await run(argv);
  const commands = [...workflowCommands(stdout), ...workflowCommands(stderr.replace(/\r/g, '\n'))];
  expect(commands.map(({ name }) => name)).toEqual(Array.from({ length: ours }, () => 'error'));
  for (const { message } of commands) expect(message).not.toMatch(/^pwned/);
  if (argv.includes('json'))
    expect(JSON.parse(stdout)).toMatchObject({ findings: [{ fingerprint: expect.any(String) }] });
});

scenario('annotation-injection', 'output contains no runner command, and JSON keeps its meaning', () => {
  const piece = fc.constantFrom(
    '::',
    ':',
    '##[',
    '#',
    '[',
    ' ',
    '\t',
    '\n',
    '\r',
    '\u0085',
    '\u2028',
    '\u00a0',
    'error',
    '{',
    '"',
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (each) => {
      const safe = withoutRunnerCommands(each);
      for (const line of safe.split(/[\r\n\u0085\u2028\u2029]/)) expect(line.trimStart().startsWith('::')).toBe(false);
      expect(safe).not.toContain('##[');
      const json = JSON.stringify({ each });
      expect(JSON.parse(withoutRunnerCommands(json))).toEqual({ each });
      expect(withoutRunnerCommands(json)).not.toContain('##[');
    }),
  );
});
