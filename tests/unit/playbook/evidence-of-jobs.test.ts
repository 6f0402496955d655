/** Evidence of model scans and red-team scans: a scan that tested nothing permits nothing. */
import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { type JsonObject, objectOf } from '../../../lib/core/json.ts';
import { at, type Body, type Case, decides } from './evidence.ts';

const HUB = 'https://hub.example.com/acme';
const model = (name: string) => ({ model_uri: `${HUB}/${name}`, security_group_uuid: MODEL_SEED_IDS.groups.hub });
const UNDECIDED = 'Not admitted - the scan has no complete outcome';
const MODEL_SCAN = /\/v1\/scans\/[^/?]+$/;
const ended = (change: (body: Body) => void) =>
  at(MODEL_SCAN, (body) => {
    if (body['eval_outcome'] === 'ALLOWED') change(body);
  });
const outcome = (what: string, members: JsonObject, branch = UNDECIDED): Case => ({
  what,
  patch: ended((body) => void Object.assign(body, members)),
  branch,
});
const summary = (rules_passed: unknown, rules_failed: unknown, total_rules: unknown) => ({
  eval_summary: { rules_passed, rules_failed, total_rules },
});
const evaluations = (change: (list: Body[]) => void) =>
  at(/\/evaluations/, (body) => change(body['evaluations'] as Body[]));
decides('admit-model', model('summarizer'), 'block', [
  outcome('no rules', { ...summary(0, 0, 0), enabled_rule_count_snapshot: 0 }),
  outcome('0 of 11 rules', { ...summary(0, 0, 0), enabled_rule_count_snapshot: 11 }),
  outcome('rules that did not run', { eval_summary: null }),
  outcome('some rules that did not run', { ...summary(8, 0, 8), enabled_rule_count_snapshot: 10 }),
  outcome('rules without a result', summary(8, 0, 10)),
  outcome('a negative number of rules', summary(-1, 0, -1)),
  outcome('more rules passed than there are', summary(11, 0, 10)),
  outcome('no files', { total_files_scanned: 0, total_files_skipped: 0 }),
  outcome('only skipped files', { total_files_scanned: 0, total_files_skipped: 7 }),
  outcome('an unknown number of files', { total_files_scanned: null }),
  outcome('an error code', { error_code: 'WORKER_ERROR' }),
  outcome('an error message', { error_message: 'The scanner stopped.' }),
  outcome('an outcome in small letters', { eval_outcome: 'allowed' }),
  outcome(
    'another identifier',
    { uuid: 'b7f1ae62-36e5-4b3a-9d15-0b7a4c2f8e91' },
    'Not admitted - the label was not stored',
  ),
  outcome('failed rules that the list does not have', summary(9, 1, 10)),
  { what: 'rules that ended in an error', inputs: model('no-metadata'), branch: UNDECIDED },
  {
    what: 'failed rules that cannot be read',
    inputs: model('suspicious'),
    circumstances: { fails: ({ url }) => url.includes('/evaluations') },
    branch: UNDECIDED,
  },
  {
    what: 'a failed rule that blocks',
    inputs: model('suspicious'),
    patch: evaluations((list) => {
      for (const each of list) each['rule_instance_state'] = 'BLOCKING';
    }),
    branch: UNDECIDED,
  },
  {
    what: 'a failed rule beside a rule without a result',
    inputs: model('suspicious'),
    patch: evaluations((list) => {
      for (const each of list) if (each['result'] === 'PASSED') each['result'] = 'ERROR';
    }),
    branch: UNDECIDED,
  },
  {
    what: 'a cut list of rules',
    inputs: model('suspicious'),
    patch: evaluations((list) => void list.pop()),
    branch: UNDECIDED,
  },
  { what: 'failed rules that only report', inputs: model('suspicious'), branch: 'Admitted', verdict: 'allow' },
]);

const night = { target_uuid: RED_TEAM_IDS.targets.supportChatbot, max_asr: '90' };
const UNKNOWN_RATE = 'The rate is not known';
const RED_TEAM_SCAN = /\/data-plane\/v1\/scan\/[^/?]+$/;
const REPORT = /\/report\/static\/[^/]+\/report$/;
const completed = (what: string, members: JsonObject, branch = UNKNOWN_RATE): Case => ({
  what,
  patch: at(RED_TEAM_SCAN, (body) => {
    if (body['status'] === 'COMPLETED') Object.assign(body, members);
  }),
  branch,
});
const reported = (what: string, members: JsonObject, branch = UNKNOWN_RATE): Case => ({
  what,
  patch: at(REPORT, (body) => void Object.assign(objectOf(body['severity_report']), members)),
  branch,
});
const limit = (max_asr: string): Case => ({
  what: `a limit of "${max_asr}"`,
  inputs: { max_asr },
  branch: UNKNOWN_RATE,
});
const PARTIAL = 'Ended without a full report';
decides('nightly-red-team', night, 'block', [
  completed('no attacks', { asr: 0, total: 0, completed: 0 }),
  completed('an unknown number of attacks', { total: null }),
  completed('an unknown number of completed attacks', { completed: null }),
  completed('one of 48 attacks', { completed: 1 }),
  completed('more attacks than there are', { completed: 49 }),
  completed('a negative rate', { asr: -1 }),
  completed('a rate above 100', { asr: 101 }),
  completed('a rate of null', { asr: null }),
  completed('a rate as words', { asr: 'n/a' }, PARTIAL),
  completed('a rate of 0 with successful attacks', { asr: 0 }),
  completed('a status that is not known', { status: 'DONE' }, PARTIAL),
  completed('an aborted scan', { status: 'ABORTED' }, PARTIAL),
  completed('another identifier', { uuid: 'b7f1ae62-36e5-4b3a-9d15-0b7a4c2f8e91' }, PARTIAL),
  reported('a report without attacks', { total_attacks: 0, successful: 0 }),
  reported('a report of unknown attacks', { total_attacks: null }),
  reported('a report of unknown successes', { successful: null }),
  reported('a negative number of successes', { successful: -1 }),
  reported('more successes than attacks', { successful: 49 }),
  reported('a rate above 0 without a successful attack', { successful: 0 }),
  {
    what: 'a report without a rate',
    patch: at(REPORT, (body) => void Object.assign(body, { asr: null })),
    branch: UNKNOWN_RATE,
  },
  {
    what: 'a report with a negative rate',
    patch: at(REPORT, (body) => void Object.assign(body, { asr: -1 })),
    branch: UNKNOWN_RATE,
  },
  {
    what: 'a rate within the limit whose report has another',
    inputs: { max_asr: '20' },
    patch: completed('', { asr: 5 }).patch ?? (() => {}),
    branch: 'Above the limit',
  },
  limit('101'),
  limit('-1'),
  limit(' '),
]);
