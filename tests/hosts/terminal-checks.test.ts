/** The states of `aisec doctor` on a terminal. */
import { refusing, run } from '../unit/report/support.ts';

const DOCTOR = ['doctor', '--output', 'table'];
const terminal = { columns: 80, rows: 24 };

test('a passed check has the mark of lists, and nothing more to say has no column', async () => {
  const { stdout } = await run(DOCTOR);
  expect(stdout).toMatch(/\nCheck +State\n[─ ]+\nAccess token +✓ passed\nManagement API +✓ passed\n/);
});

test('only the mark of a state has colour', async () => {
  const { stdout } = await run(DOCTOR, { terminal });
  expect(stdout).toContain('Access token        \x1b[32m✓\x1b[39m passed\n');
});

test.each([
  { what: 'a refused required plane', status: 500, part: '/v1/mgmt/', state: '✗ failed +\\S' },
  { what: 'a plane without a licence', status: 403, part: '/data-profiles', state: '· not available +Not available' },
])('$what shows $state', async ({ status, part, state }) => {
  const { stdout } = await run([...DOCTOR, '--timeout', '1'], { alter: refusing(part, status) });
  expect(stdout).toMatch(/\nCheck +State +Detail\n/);
  expect(stdout).toMatch(new RegExp(` ${state}`));
});

test('markdown keeps its words and its columns', async () => {
  const { stdout } = await run(['doctor', '--output', 'markdown']);
  expect(stdout).toMatch(/\| Check \| State \| Detail \|\n[^\n]+\n\| Access token \| passed \|/);
});
