/** `aisec apply`, `aisec profiles diff` and `aisec topics diff`, run by a person and by a build. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import type { Service } from '../../../fixtures/service/types.ts';
import { UNSEEN_IN_TEXT } from '../../../lib/core/redaction/characters.ts';
import { membersLines } from '../../../lib/features/guardrails/terminal/plan/members.ts';
import { plainMeasure } from '../../../lib/hosts/terminal/ui/measure.ts';
import { PLAIN } from '../../../lib/hosts/terminal/ui/style.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type Given, run } from '../report/support.ts';
import { blocking, policy, TOPIC } from './support.ts';

const SCREEN = { columns: 80, rows: 100 };

function fileOf(content: object): string {
  const path = join(temporaryFolder('guardrails'), 'guardrails.json');
  writeFileSync(path, JSON.stringify({ version: 1, ...content }));
  return path;
}

/** Records the methods of the requests, except token requests. */
function watched(service = createService()): { service: Service; methods: () => string[] } {
  const methods: string[] = [];
  const handle: Service['handle'] = (request, clock) => {
    if (!request.url.includes('/oauth2/')) methods.push(request.method);
    return service.handle(request, clock);
  };
  return { service: { ...service, handle }, methods: () => [...new Set(methods)] };
}

const json = (text: string) => JSON.parse(text);
const lines = (text: string) => text.trimEnd().split('\n');

const CONTENT = {
  topics: [TOPIC],
  profiles: [
    {
      name: 'prod',
      policy: policy({ name: 'prompt-injection', action: 'alert' }, blocking('investment-advice', 'Stock tips')),
    },
    { name: 'prod-eu', policy: policy({ name: 'prompt-injection', action: 'block' }) },
    { name: 'claims' },
  ],
};

describe('a diff', () => {
  test('shows each change, and the counts last', async () => {
    const { code, stdout } = await run(['apply', fileOf(CONTENT), '--dry-run', '--output', 'table']);
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual([
      expect.stringMatching(/^Tenant 1000000001 +SIMULATED$/),
      '+ topic Stock tips (create)',
      '~ profile prod (update)',
      '    policy.….model-protection.prompt-injection.action: block -> alert',
      '    topics to block: + Stock tips',
      '+ profile prod-eu (create)',
      '- profile monitor-only (only with --prune)',
      '- profile code-assistant (only with --prune)',
      '- topic investment-advice (only with --prune)',
      '- topic insurance-claims (only with --prune)',
      '- topic competitor-pricing (only with --prune)',
      '2 to create, 1 to update, 0 to delete, 1 unchanged',
    ]);
  });

  test.each([
    { what: 'profiles', last: '1 to create, 1 to update, 0 to delete, 1 unchanged' },
    { what: 'topics', last: '1 to create, 0 to update, 0 to delete, 0 unchanged' },
  ])('of $what shows only $what, and changes nothing', async ({ what, last }) => {
    const { service, methods } = watched();
    const { code, stdout } = await run([what, 'diff', fileOf(CONTENT), '--output', 'table'], { service });
    expect(code).toBe(0);
    expect(lines(stdout).at(-1)).toBe(last);
    expect(stdout.match(/^[+~-] (?!profile|topic)/gm)).toBeNull();
    expect(new Set(stdout.match(/^[+~-] \w+/gm)?.map((each) => each.slice(2)))).toEqual(new Set([what.slice(0, -1)]));
    expect(methods()).toEqual(['GET']);
  });

  test.each([
    { argv: ['profiles', 'diff'], content: CONTENT, code: 1 },
    { argv: ['topics', 'diff'], content: CONTENT, code: 1 },
    { argv: ['apply', '--dry-run'], content: CONTENT, code: 1 },
    { argv: ['profiles', 'diff'], content: { topics: [TOPIC], profiles: [{ name: 'prod' }] }, code: 0 },
    { argv: ['topics', 'diff'], content: { topics: [] }, code: 0 },
    { argv: ['profiles', 'diff', '--prune'], content: { profiles: [{ name: 'prod' }] }, code: 1 },
  ])('$argv with --exit-code ends with $code', async ({ argv, content, code }) => {
    const { stdout: _, ...outcome } = await run([...argv, fileOf(content), '--exit-code']);
    expect(outcome).toMatchObject({ code, stderr: '' });
  });

  test('is JSON in a pipe', async () => {
    const path = fileOf({ topics: [{ name: 'competitor-pricing', description: 'Other.' }] });
    const { stdout } = await run(['topics', 'diff', path, '--output', 'json']);
    expect(json(stdout)).toEqual({
      file: path,
      tenant: '1000000001',
      simulated: true,
      changes: [
        {
          kind: 'topic',
          name: 'competitor-pricing',
          change: 'update',
          members: [
            {
              member: 'description',
              before: 'Comparisons of our prices with those of other companies.',
              after: 'Other.',
            },
          ],
        },
        { kind: 'topic', name: 'investment-advice', change: 'unlisted', members: [] },
        { kind: 'topic', name: 'insurance-claims', change: 'unlisted', members: [] },
      ],
      summary: { create: 0, update: 1, delete: 0, unchanged: 0, unlisted: 2 },
    });
  });

  test('fits 80 columns, and shows long values whole', async () => {
    const description = `${'Advice about shares, funds and houses, '.repeat(6)}and the rest.`;
    const path = fileOf({ topics: [{ name: 'investment-advice', description, examples: ['One?', 'Two?'] }] });
    const { stdout } = await run(['topics', 'diff', path, '--output', 'table'], {
      terminal: SCREEN,
      environment: { NO_COLOR: '1' },
    });
    expect(lines(stdout).filter((line) => line.length > 80)).toEqual([]);
    expect(stdout.replace(/\s+/g, ' ')).toContain(`+ ${description}`);
    expect(stdout).toMatch(/ examples\n( {6}- .*\n)+ {6}\+ One\?\n {6}\+ Two\?\n/);
  });

  test.each([
    { argv: ['profiles', '--prune'], message: 'Option --prune belongs to: aisec profiles diff.' },
    { argv: ['profiles', 'diff'], message: 'aisec profiles diff needs a file.' },
    { argv: ['topics'], message: 'aisec topics compares a file' },
    { argv: ['apply', '--yes'], message: 'aisec apply needs a file.' },
    { argv: ['doctor', '--prune'], message: 'Option --prune belongs to: aisec profiles, aisec apply, aisec topics.' },
  ])('$argv is refused', async ({ argv, message }) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('aisec apply', () => {
  test('makes the changes, reports them, and has nothing to do the second time', async () => {
    const given: Given = { service: createService() };
    const argv = ['apply', fileOf(CONTENT), '--yes', '--output', 'table'];
    const first = await run(argv, given);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(lines(first.stdout).slice(-4)).toEqual([
      '✓ topic Stock tips: created, revision 1',
      '✓ profile prod: updated, revision 4',
      '✓ profile prod-eu: created, revision 1',
      '2 created, 1 updated, 0 deleted, 1 unchanged',
    ]);
    const second = await run(argv, given);
    expect(second.code).toBe(0);
    expect(lines(second.stdout).at(-1)).toBe('0 to create, 0 to update, 0 to delete, 4 unchanged');
    expect(second.stderr).toContain('Nothing to do: the tenant has what the file states.');
  });

  test.each([
    { typed: 'y', made: true },
    { typed: 'n', made: false },
    { typed: '', made: false },
  ])('asks on a terminal; the answer "$typed" makes the changes: $made', async ({ typed, made }) => {
    const { service, methods } = watched();
    const given = { service, terminal: SCREEN, typed: `${typed}\n`, environment: { NO_COLOR: '1' } };
    const { code, stdout, stderr } = await run(['apply', fileOf(CONTENT)], given);
    expect(code).toBe(0);
    expect(stdout).toContain('2 to create, 1 to update');
    expect(stderr).toContain('Make these changes on the simulated tenant 1000000001? [y/N] ');
    expect(stderr.includes('Nothing was changed.')).toBe(!made);
    expect(methods().includes('POST')).toBe(made);
  });

  test('without a terminal requires --yes, and says so before it reads anything', async () => {
    const { service, methods } = watched();
    const { code, stderr } = await run(['apply', 'missing.yml'], { service });
    expect(code).toBe(2);
    expect(stderr).toContain('Add --yes to make them, or --dry-run to see them.');
    expect(methods()).toEqual([]);
  });

  test('reports a pruned topic that is in use before it changes anything', async () => {
    const { service, methods } = watched();
    const { code, stdout, stderr } = await run(
      ['apply', fileOf({ topics: [TOPIC] }), '--prune', '--yes', '--output', 'table'],
      { service },
    );
    expect(code).toBe(5);
    expect(stdout).toContain('- topic investment-advice (delete)');
    expect(stderr).toMatch(/investment-advice +prod\n/);
    expect(methods()).toEqual(['GET']);
  });

  test('lists changes made and not made, as text and as JSON', async () => {
    const path = fileOf({ profiles: [{ name: 'code-assistant' }, { name: 'new' }] });
    const table = await run(['apply', path, '--prune', '--yes', '--output', 'table']);
    expect(table.code).toBe(10);
    expect(lines(table.stdout).slice(-5)).toEqual([
      '✓ profile new: created, revision 1',
      '✓ profile prod: deleted',
      '✓ profile monitor-only: deleted',
      '✗ profile claims: not deleted',
      '1 created, 0 updated, 2 deleted, 1 unchanged',
    ]);
    expect(table.stderr).toContain('3 of 4 changes were made. The next one failed, delete profile claims:');
    expect(table.stderr).toMatch(/policy_name claims-gateway/);
    const { code, stdout, stderr } = await run(['apply', path, '--prune', '--yes', '--output', 'json']);
    expect(code).toBe(10);
    const { changes } = json(stdout) as { changes: { name: string; state?: string }[] };
    const states = changes.map(({ name, state }) => [name, state]);
    expect(states).toEqual([
      ['code-assistant', undefined],
      ['new', 'done'],
      ['prod', 'done'],
      ['monitor-only', 'done'],
      ['claims', 'failed'],
    ]);
    expect(json(stderr).error.code).toBe('partial');
  });

  test.each([[['profiles', 'diff']], [['apply', '--dry-run']], [['apply', '--yes']]])(
    '%j refuses a misspelt member with its position, and sends it with --allow-unknown and a note',
    async (argv) => {
      const { service, methods } = watched();
      const inside = { 'model-type': 'default', 'model-configuration': { 'model-protecton': [] } };
      const path = fileOf({ profiles: [{ name: 'prod', policy: { 'ai-security-profiles': [inside] } }] });
      const refused = await run([...argv, path], { service });
      expect(refused.code).toBe(2);
      expect(refused.stdout).toBe('');
      expect(refused.stderr).toMatch(
        /^error: .*guardrails\.json:1:\d+: profiles\.0\.[\w.-]*\.model-protecton is not a documented member\./,
      );
      expect(refused.stderr.replace(/\s+/g, ' ')).toContain('Did you mean "model-protection"? Add --allow-unknown');
      expect(methods()).toEqual(['GET']);
      const sent = await run([...argv, path, '--allow-unknown'], { service });
      expect(sent.code).toBe(0);
      expect(sent.stderr).toMatch(/^note: .*guardrails\.json:1:\d+: .*model-protecton is not a documented member\./);
      expect((await run([...argv, path, '--allow-unknown', '--quiet'], { service })).stderr).toBe('');
    },
  );
});

describe('a target that no command can create', () => {
  const NEEDS = { targets: [{ name: 'desk', target_type: 'AGENT', needs: ['adapter', 'network_channel'] }] };
  const table = (...argv: readonly string[]) => run([...argv, '--output', 'table'], { service: createService() });
  const NOTE =
    'note: target desk is skipped: it needs adapter, network_channel. No command can set them: make the target in the console of the service with them, then apply the file again, which brings the other members.';

  test.each([
    { argv: ['--dry-run'], code: 0 },
    { argv: ['--dry-run', '--exit-code'], code: 1 },
    { argv: ['--yes'], code: 10 },
  ])('is a line, a note, and counted, with $argv: exit $code', async ({ argv, code }) => {
    const ended = await table('apply', fileOf(NEEDS), ...argv);
    expect(ended.code).toBe(code);
    expect(lines(ended.stdout).slice(1)).toEqual([
      '! target desk (skipped: it needs adapter, network_channel)',
      '0 to create, 0 to update, 0 to delete, 0 unchanged, 1 skipped',
    ]);
    expect(ended.stderr).toContain(NOTE);
    expect(ended.stderr).not.toContain('Nothing to do');
    expect(ended.stderr.includes('1 entry of the file was skipped.')).toBe(code === 10);
  });
});

describe('shown text', () => {
  const HOSTILE = '\u001b]0;owned\u0007\u001b[31mx\u202e\n+ profile fake (create)';

  test('has no control character, no invisible character and no forged line, from the service or the file', async () => {
    const given: Given = { service: createService() };
    const hostile = { ...TOPIC, name: HOSTILE, description: `Old ${HOSTILE}` };
    const path = fileOf({ topics: [hostile], profiles: [{ name: HOSTILE, policy: { [HOSTILE]: HOSTILE } }] });
    const applied = await run(['apply', path, '--yes', '--allow-unknown', '--output', 'table'], given);
    const changed = fileOf({
      topics: [{ ...hostile, description: 'New.' }],
      profiles: [{ name: HOSTILE, policy: { [HOSTILE]: 'New' } }],
    });
    const shown = [
      applied,
      await run(['topics', 'diff', changed, '--allow-unknown', '--output', 'table'], given),
      await run(['profiles', 'diff', changed, '--allow-unknown', '--output', 'table', '--prune'], given),
      await run(['apply', fileOf({ topics: [], profiles: [] }), '--dry-run', '--prune', '--output', 'table'], given),
      await run(['profiles', 'diff', changed, '--allow-unknown', '--output', 'json'], given),
    ];
    for (const { stdout, stderr } of shown) {
      expect((stdout + stderr).match(UNSEEN_IN_TEXT)).toBeNull();
      expect(lines(stdout).filter((line) => line.startsWith('+ profile fake'))).toEqual([]);
    }
    expect(shown[1]?.stdout).toContain('\\u202e');
    expect(shown[0]?.stdout).toContain('<U+202E>');
  });

  test('has no secret of the settings, and no member with the name of a secret', async () => {
    const service = createService();
    const secret = service.settings('')['AISEC_CLIENT_SECRET'] ?? 'none';
    const content = (password: string) => ({
      topics: [{ ...TOPIC, description: `It is ${secret}.` }],
      profiles: [{ name: 'prod', policy: { login: { password, credentials: { user: 'canary-user' } }, open: 'seen' } }],
    });
    const shown = [
      await run(['apply', fileOf(content('canary-1')), '--dry-run', '--allow-unknown', '--output', 'json'], {
        service,
      }),
      await run(['apply', fileOf(content('canary-1')), '--yes', '--allow-unknown', '--output', 'table'], {
        service,
      }),
      await run(['apply', fileOf(content('canary-2')), '--yes', '--allow-unknown', '--output', 'table'], {
        service,
      }),
    ];
    for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toMatch(new RegExp(`${secret}|canary`));
    expect(shown[0]?.stdout).toContain('"seen"');
    expect(shown[2]?.stdout).toContain('policy.login.password: *** -> ***');
  });
});

const topic = (model: string, action: string, name: string, before?: number, after?: number) => {
  const value = (revision?: number) =>
    revision === undefined ? undefined : { topic_name: name, topic_id: 'id', revision };
  return { path: ['policy', model, 'topic-list', action, 'topic', name], before: value(before), after: value(after) };
};

describe('topics that a list gains and loses', () => {
  test.each([
    {
      what: 'are on one line',
      members: [topic('default', 'block', 'old', 2), topic('default', 'block', 'new', undefined, 1)],
      lines: ['topics to block: - old  + new'],
    },
    {
      what: 'have a line for each action',
      members: [topic('default', 'block', 'old', 2), topic('default', 'allow', 'old', undefined, 2)],
      lines: ['topics to block: - old', 'topics to allow: + old'],
    },
    {
      what: 'keep their path where two models have such a list',
      members: [topic('default', 'block', 'old', 2), topic('vision', 'block', 'new', undefined, 1)],
      lines: ['policy.default.topic-list.block.topic: - old', 'policy.vision.topic-list.block.topic: + new'],
    },
    {
      what: 'show a revision that changes',
      members: [
        { path: ['policy', 'default', 'topic-list', 'block', 'topic', 'old', 'revision'], before: 1, after: 2 },
      ],
      lines: ['policy.default.topic-list.block.topic.old.revision: 1 -> 2'],
    },
  ])('$what', ({ members, lines }) => {
    const page = { width: 80, measure: plainMeasure, style: PLAIN };
    expect(membersLines(members, page).map((line) => line.trim())).toEqual(lines);
  });
});
