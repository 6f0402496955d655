/** Exports: what a tenant has, in the form of every tenant. */
import fc from 'fast-check';
import { objectOf, objectsOf } from '../../../lib/core/json.ts';
import { changesIn } from '../../../lib/features/guardrails/apply.ts';
import { exportTenant } from '../../../lib/features/guardrails/export.ts';
import { errorOf } from '../../../lib/features/guardrails/outcome.ts';
import { runs, TEST_MS } from '../../support/runs.ts';
import { emptyTenancy, exported } from './moving.ts';
import { file } from './random-files.ts';
import { anyDlp, anyTargets } from './random-moved.ts';
import { listing, pinned, profile, type Records, topic } from './records.ts';
import { apply, blocking, plan, policy, TOPIC, tenancy } from './support.ts';

/** Topics that the profiles of random files refer to. */
const SEEDED = ['investment-advice', 'insurance-claims', 'competitor-pricing'].map((name) => ({ ...TOPIC, name }));
const OPEN = { prune: true, allowUnknown: true };
const MERGED = { prune: false, allowUnknown: true };

test(
  'the file of any tenant, applied to an empty one, leaves no difference and gives the same file again',
  async () => {
    const holds = async (content: object, dlp: object, targets: object) => {
      const source = await emptyTenancy();
      expect(errorOf(await apply({ topics: SEEDED, dlp, targets }, source))).toBeUndefined();
      await apply(content, source, OPEN);
      const first = await exported(source);
      const target = await emptyTenancy();
      expect(errorOf(await apply(first.document, target, MERGED))).toBeUndefined();
      expect(changesIn(await plan(first.document, target, MERGED))).toEqual([]);
      expect((await exported(target)).document).toEqual(first.document);
    };
    await fc.assert(fc.asyncProperty(file, anyDlp, anyTargets, holds), runs(60, 11));
  },
  TEST_MS,
);

test('the file of the sample tenant, applied to an empty one, gives the same file again', async () => {
  const { document } = await exported(tenancy(), ['topics', 'profiles', 'dlp']);
  const target = await emptyTenancy();
  expect(errorOf(await apply(document, target))).toBeUndefined();
  expect(changesIn(await plan(document, target))).toEqual([]);
  const again = (await exported(target, ['topics', 'profiles', 'dlp'])).document;
  // The service makes a filtering profile with each data profile, and the sample tenant lacks two of them.
  expect({ ...again, dlp: withFiltering(again['dlp'], namesIn(document['dlp'])) }).toEqual(document);
});

const namesIn = (dlp: unknown) => objectsOf(objectOf(dlp)['filtering_profiles']).map(({ name }) => name);

function withFiltering(dlp: unknown, names: readonly unknown[]) {
  const filtering = objectsOf(objectOf(dlp)['filtering_profiles']).filter(({ name }) => names.includes(name));
  return { ...objectOf(dlp), filtering_profiles: filtering };
}

test('the file of a tenant is no difference to it', async () => {
  const source = tenancy();
  expect(changesIn(await plan((await exported(source)).document, source))).toEqual([]);
});

test('the file has no id, no revision and no time', async () => {
  const source = tenancy();
  const text = JSON.stringify((await exported(source, ['topics', 'profiles'])).document);
  expect(text).not.toMatch(/"(?:\w+_)?(?:id|uuid|revision|version)":(?!1,"topics")|\d{4}-\d\d-\d\d/);
});

const written = ({ ...records }: Records) => exportTenant(listing(records), ['topics', 'profiles']);

describe('an export', () => {
  test('names the topics by the names that they have now', async () => {
    const guardrail = policy({ ...blocking({ ...pinned('new'), topic_name: 'old' }) });
    const { document } = await written({ topics: [topic('new')], profiles: [profile('p', { policy: guardrail })] });
    expect(JSON.stringify(document)).toContain('"topic":[{"topic_name":"new"}]');
  });

  test.each([
    { reference: pinned('t', 1), note: 'profile p stays at revision 1 of topic t; by the file it has the newest one.' },
    { reference: pinned('gone'), note: 'profile p refers to the topic gone, which the tenant does not list.' },
  ])('says what a file cannot have: $note', async ({ reference, note }) => {
    const profiles = [profile('p', { policy: policy(blocking(reference)) })];
    expect((await written({ topics: [topic('t')], profiles })).notes).toEqual([note]);
  });

  test.each<{ what: string; records: Records; message: string }>([
    {
      what: 'a topic without its examples',
      records: { topics: [topic('t', { examples: null })] },
      message: 'The service listed the topic t without its description and examples.',
    },
    {
      what: 'a profile without its policy',
      records: { profiles: [profile('p', { policy: null })] },
      message: 'The service listed the profile p without its policy, which cannot be compared or sent back.',
    },
    {
      what: 'a profile without its state',
      records: { profiles: [profile('p', { active: null })] },
      message: 'The service listed the profile p without its state.',
    },
    {
      what: 'two topics with one name',
      records: { topics: [topic('t'), topic('t', { topic_id: 'other' })] },
      message: 'The tenant has 2 topics with the name t.',
    },
    {
      what: 'a list that is cut',
      records: { topics: [topic('t')], output: { incomplete: true } },
      message: 'The list of topics is incomplete. It is cut after 1 record.',
    },
  ])('refuses $what', async ({ records, message }) => {
    await expect(written(records)).rejects.toThrow(message);
  });
});
