/** The pipeline files as text: every name in them exists, and third-party text never becomes code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readPolicy } from '../../../lib/features/gate/policy/read-policy.ts';
import { expectNone } from '../../support/expect-none.ts';
import { ROOT } from '../../support/program.ts';
import { readAction } from './github.ts';

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const action = readAction(join(ROOT, 'pipelines/github'));
const script = textOf('pipelines/gate.sh');
const guide = textOf('docs/pipelines.md');
const { steps } = action.runs;
const expressionsIn = (text: string) =>
  Array.from(text.matchAll(/\$\{\{([^}]*)\}\}/g), ([, inside = '']) => inside.trim());
/** The variables that a text reads; `AISEC_GATE_*` in a comment does not count. */
const variablesIn = (text: string) => new Set(text.match(/AISEC_GATE_[A-Z][A-Z_]*[A-Z]/g));

describe('the action', () => {
  test('has no expression in a script, and no secret among its inputs', () => {
    expectNone(
      steps.flatMap(({ run = '' }) => expressionsIn(run)),
      'expressions in scripts',
    );
    expectNone(
      Object.keys(action.inputs).filter((name) => /key|secret|token|password|credential/.test(name)),
      'inputs for secrets',
    );
  });

  test('uses every input, and names only existing inputs', () => {
    const used = new Set(textOf('pipelines/github/action.yml').match(/(?<=\binputs\.)[a-z-]+/g));
    expect([...used].sort()).toEqual(Object.keys(action.inputs).sort());
  });

  test('sets every variable that the script reads, by the name of the input', () => {
    const { env = {} } = steps.find(({ id }) => id === 'gate') ?? {};
    const given = Object.keys(env);
    expect([...given, 'AISEC_GATE_REPORTS'].sort()).toEqual([...variablesIn(script)].sort());
    const misnamed = given.filter((name) => {
      const input = name.replace('AISEC_GATE_', '').toLowerCase().replace(/_/g, '-');
      return env[name] !== `\${{ inputs.${input === 'kind' ? 'gate' : input} }}`;
    });
    expectNone(misnamed, 'variables with the value of another input');
  });

  test('names a shell for each script, and a version for each third-party action', () => {
    expectNone(
      steps.filter(({ run, shell }) => run !== undefined && shell !== 'bash').map(({ name }) => `${name}`),
      'scripts without bash',
    );
    expect(steps.flatMap(({ uses = [] }) => uses)).toEqual([expect.stringMatching(/^[\w-]+\/[\w/-]+@v\d+$/)]);
  });
});

describe('the guide', () => {
  const blocks = Array.from(guide.matchAll(/^```yaml\n([\s\S]*?)^```/gm), ([, text = '']) => text);
  const policies = blocks.filter((text) => text.startsWith('version: 1'));

  test('has policies that the program accepts', async () => {
    expect(policies).toHaveLength(2);
    const read = await Promise.all(policies.map((text) => readPolicy(text, 'aisec-policy.yml')));
    expect(Object.assign({}, ...read.map(({ policy }) => policy))).toMatchObject({
      redteam: { max_asr_percent: 60 },
      model: { fail_on: 'blocking' },
      bulk: { max_blocked: 0 },
      accepted: [{ owner: 'dana@example.com' }],
    });
  });

  test('names every input, every output, and every variable', () => {
    const names = [...Object.keys(action.inputs), ...Object.keys(action.outputs)].map((name) => `\`${name}\``);
    const variables = [...variablesIn(script)]
      .filter((name) => name !== 'AISEC_GATE_REPORTS')
      .map((name) => name.replace('AISEC_GATE', ''));
    expectNone(
      [...names, ...variables].filter((name) => !guide.includes(name)),
      'names that the guide does not have',
    );
  });

  test('has a GitLab job with variables that the script reads', () => {
    const [job] = blocks.map((text) => parse(text)).filter((document) => document.include !== undefined);
    const known = new Set([...variablesIn(script), 'AISEC_PACKAGE']);
    expectNone(
      Object.keys(job.model.variables).filter((name) => !known.has(name)),
      'unknown variables',
    );
    expect(textOf('pipelines/gitlab/aisec.gitlab-ci.yml')).toMatch(new RegExp(`^\\${job.model.extends}:$`, 'm'));
  });
});
