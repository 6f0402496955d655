/** A file's DLP resources: compared by name, and created in the order in which they refer to each other. */

import { objectOf } from '../../../lib/core/json.ts';
import { applyPlan, changesIn } from '../../../lib/features/guardrails/apply.ts';
import { applicationError } from '../../../lib/features/guardrails/outcome.ts';
import type { CommandOutput } from '../../../lib/runtime/engine/command-port.ts';
import { apply, emptyTenancy, exported, means, plan, policy, tenancy } from './support.ts';

const item = (name: string, detection_technique = 'regex') => ({ rule_item: { detection_technique, name } });
const tree = (...sub_expressions: readonly object[]) => ({
  rule_type: 'expression_tree',
  expression_tree: { operator_type: 'and', sub_expressions },
});
const combined = (...data_profiles: readonly string[]) => ({
  rule_type: 'multi_profile',
  multi_profile: { data_profiles, operator_type: 'or' },
});
const PATTERN = { name: 'Badge', type: 'custom', detection_technique: 'regex' };
const WORDS = { name: 'Words', category: 'Legal', region_name: 'Germany', keywords: ['b', 'a'] };
const profile = (name: string, ...detection_rules: readonly object[]) => ({ name, detection_rules });

/** Refers in every way, and lists resources before the resources they refer to. */
const DLP = {
  filtering_profiles: [{ name: 'Low', file_based: true, non_file_based: false, data_profile: 'Low' }],
  profiles: [
    profile('High', combined('Low', 'Sensitive Content')),
    profile('Low', tree(item('Badge'), item('Words', 'dictionary'), item('Credit Card Number'))),
  ],
  patterns: [PATTERN],
  dictionaries: [WORDS],
};

test('dictionaries and patterns are created first, then each profile after the profiles that it combines', async () => {
  const tenant = tenancy();
  const outcome = await apply({ dlp: DLP }, tenant);
  expect(applicationError(outcome)).toBeUndefined();
  expect(outcome.steps.map(({ change: { verb, kind, name } }) => `${verb} ${kind} ${name}`)).toEqual([
    'create dictionary Words',
    'create pattern Badge',
    'create data profile Low',
    'create data profile High',
    'update filtering profile Low',
  ]);
  expect(changesIn(await plan({ dlp: DLP }, tenant))).toEqual([]);
});

test('rules are sent with the ids of the tenant, and without members of the file', async () => {
  const tenant = tenancy();
  await apply({ dlp: DLP }, tenant);
  const listed = await tenant.room.values('!aisec-runtime-dlp-profiles-list');
  const idOf = (name: string) => String(listed.find((each) => each['name'] === name)?.['id']);
  const { detection_rules } = await tenant.room.value(`!aisec-runtime-dlp-profiles-get profile_id=${idOf('High')}`);
  expect(detection_rules).toEqual([
    { rule_type: 'multi_profile', multi_profile: { operator_type: 'or', data_profile_ids: [12_000_001, 11_000_001] } },
  ]);
  const low = await tenant.room.value(`!aisec-runtime-dlp-profiles-get profile_id=${idOf('Low')}`);
  expect(JSON.stringify(low)).toContain('"name":"Credit Card Number","id":"5f8d1c3a9b7e4206d1f0a3c1","version":1');
});

test('an update sends unstated members unchanged', async () => {
  const tenant = tenancy();
  const dictionaries = [{ name: 'Project Names', description: 'Other.' }];
  const patterns = [{ name: 'Customer Number', description: 'Other.' }];
  const before = objectOf((await exported(tenant, ['dlp'])).document['dlp']);
  expect(applicationError(await apply({ dlp: { dictionaries, patterns } }, tenant))).toBeUndefined();
  const after = JSON.stringify((await exported(tenant, ['dlp'])).document['dlp']);
  const wanted = JSON.stringify(before)
    .replace('Names of projects that are not announced.', 'Other.')
    .replace('A C, a dash and eight digits.', 'Other.');
  expect(after).toBe(wanted);
});

test('a filtering profile keeps members that no command can set', async () => {
  const tenant = tenancy();
  await apply({ dlp: { filtering_profiles: [{ name: 'Customer Records', log_severity: 'LOW' }] } }, tenant);
  const body = JSON.parse(tenant.room.requests.find(({ method }) => method === 'PUT')?.body ?? '{}');
  expect(Object.keys(body)).toEqual(
    expect.arrayContaining(['rule1', 'rule2', 'criteria_details', 'exception_rules', 'exclusions', 'euc_template_id']),
  );
  expect(body).toMatchObject({ log_severity: 'LOW', file_type: ['csv', 'xlsx'], data_profile_id: 11_995_001 });
});

test('nothing is deleted, not even with --prune', async () => {
  const tenant = tenancy();
  const { steps } = await apply({ dlp: { dictionaries: [], patterns: [], profiles: [] } }, tenant, { prune: true });
  expect(steps).toEqual([]);
});

test('a filtering profile without its data profile is skipped, with a note', async () => {
  const { changes: planned, notes } = await plan({ dlp: { filtering_profiles: [{ name: 'Nowhere' }] } }, tenancy());
  expect([planned.map(({ verb }) => verb), notes]).toEqual([
    ['skipped'],
    [expect.stringContaining('filtering profile Nowhere is skipped: the service makes it with a data profile')],
  ]);
});

test.each<{ what: string; dlp: object; message: string }>([
  {
    what: 'a name that is missing from the file and the tenant',
    dlp: { profiles: [profile('P', tree(item('Bagde')))] },
    message: 'neither the file nor the tenant has the pattern Bagde.',
  },
  {
    what: 'a pattern with the name of a dictionary',
    dlp: { profiles: [profile('P', tree(item('Project Names')))] },
    message: 'neither the file nor the tenant has the pattern Project Names.',
  },
  {
    what: 'a data profile that is deleted',
    dlp: { profiles: [profile('P', combined('Pilot Rules'))] },
    message: 'neither the file nor the tenant has the data profile Pilot Rules.',
  },
  {
    what: 'profiles that combine each other',
    dlp: { profiles: [profile('A', combined('B')), profile('B', combined('A'))] },
    message: 'the data profile A combines itself.',
  },
  {
    what: 'a predefined resource',
    dlp: { patterns: [{ name: 'Credit Card Number', description: 'Mine.' }] },
    message: 'the pattern Credit Card Number of the tenant cannot be changed',
  },
  {
    what: 'a dictionary without keywords',
    dlp: { dictionaries: [{ ...WORDS, keywords: undefined }] },
    message: 'the tenant has no dictionary Words, and its entry lacks "keywords".',
  },
  { what: 'an unknown kind', dlp: { pattern: [] }, message: 'dlp.pattern is not known.' },
])('$what is refused before anything is changed', async ({ dlp, message }) => {
  const tenant = tenancy();
  await expect(plan({ dlp }, tenant)).rejects.toThrow(message);
  expect(tenant.room.requests.filter(({ method, url }) => method !== 'GET' && !url.includes('/oauth2/'))).toEqual([]);
});

test('a resource that changed after the comparison is not overwritten', async () => {
  const tenant = tenancy();
  const dlp = { patterns: [{ name: 'Customer Number', description: 'Other.' }] };
  let isChanged = false;
  const run: typeof tenant.run = async (name, args) => {
    if (name === 'aisec-runtime-dlp-patterns-get' && !isChanged && tenant.writes.includes('planned')) {
      isChanged = true;
      await apply({ dlp: { patterns: [{ name: 'Customer Number', description: 'Theirs.' }] } }, tenancy2);
    }
    return tenant.run(name, args);
  };
  const tenancy2 = { ...tenant, writes: [] };
  const planned = await plan({ dlp }, tenant);
  tenant.writes.push('planned');
  const outcome = await applyPlan(planned, { ...means(tenant), run }, () => undefined);
  expect(outcome.failure?.message).toBe('The pattern Customer Number changed after it was compared with the file.');
  expect(outcome.steps.map(({ state }) => state)).toEqual(['failed']);
});

test('a policy gets the ids that its DLP profiles have in this tenant', async () => {
  const source = tenancy();
  await apply({ dlp: { profiles: [profile('Mine', tree(item('Tax Number')))] } }, source);
  const member = [{ text: 'Mine' }];
  const own = policy();
  const protection = { 'data-protection': { 'data-leak-detection': { action: 'block', member } } };
  const [entry] = own['ai-security-profiles'];
  const guarded = {
    'ai-security-profiles': [{ ...entry, 'model-configuration': protection }],
    'dlp-data-profiles': [{ name: 'Mine', rule1: { action: 'block' } }],
  };
  await apply({ profiles: [{ name: 'guarded', policy: guarded }] }, source);
  const { document } = await exported(source);
  const target = await emptyTenancy();
  expect(applicationError(await apply(document, target))).toBeUndefined();
  const sent = target.room.requests.find(({ body, method }) => method === 'POST' && body?.includes('"guarded"'));
  expect(sent?.body).toMatch(/\{"text":"Mine","id":"\d+"\}/);
  expect(sent?.body).toMatch(/"name":"Mine","rule1":\{"action":"block"\},"uuid":"\d+","id":"\d+"\}/);
});

test('a profile with an unchanged policy is kept next to a profile that refers to a DLP profile by name', async () => {
  const policy = { 'dlp-data-profiles': [{ name: 'Sensitive Content' }] };
  const profiles = [
    { name: 'claims', active: false },
    { name: 'by name', policy },
  ];
  const tenant = tenancy();
  expect(applicationError(await apply({ profiles }, tenant))).toBeUndefined();
  expect(changesIn(await plan({ profiles }, tenant))).toEqual([]);
});

test('a DLP profile that the tenant lacks is reported', async () => {
  const profiles = [{ name: 'p', policy: { 'ai-security-profiles': [], 'dlp-data-profiles': [{ name: 'Nope' }] } }];
  expect((await plan({ profiles }, tenancy())).notes).toContain(
    'profile p names the DLP profile Nope, which the tenant does not list.',
  );
});

test('the known refusal of new dictionaries says how to create them', async () => {
  const { failure } = await apply({ dlp: DLP }, tenancy({ faults: ['known'] }));
  expect(failure).toMatchObject({ exitCode: 2, hint: expect.stringContaining('Create it in the console') });
});

test.each([
  {
    what: 'has an id twice',
    changed: (output: CommandOutput) => ({ ...output, records: [...output.records, ...output.records] }),
    message: 'The list of DLP patterns is incomplete. It has the id ',
  },
  {
    what: 'contradicts itself',
    changed: (output: CommandOutput) => ({ ...output, gap: 'The service sent 1 of 3 records.' }),
    message: 'The list of DLP patterns is incomplete. The service sent 1 of 3 records.',
  },
])('a list that $what is refused', async ({ changed, message }) => {
  const tenant = tenancy();
  const run: typeof tenant.run = async (name, args) => {
    const output = await tenant.run(name, args);
    return name === 'aisec-runtime-dlp-patterns-list' ? changed(output) : output;
  };
  await expect(plan({ dlp: { patterns: [] } }, { ...tenant, run })).rejects.toThrow(message);
});
