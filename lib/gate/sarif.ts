/** Writes a verdict as SARIF 2.1.0 (OASIS). Readers refuse large files, so results are limited and a note says so. */
import { wellFormed } from '../redaction/characters.ts';
import { fingerprintOf, plainText, type Severity } from './finding.ts';
import type { DecidedFinding, Level, Outcome, Verdict } from './verdict.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
/** Maximum results that code scanning services accept in one run. */
export const MOST_RESULTS = 5000;
const LONGEST_MESSAGE = 1000;
/** Describes the risks that the rules are about. */
const HELP = 'https://genai.owasp.org/llm-top-10/';

const LEVELS: Readonly<Record<Level, 'error' | 'warning' | 'note'>> = {
  failure: 'error',
  warning: 'warning',
  note: 'note',
};

/** Scores as code scanning services read them: above 9 critical, above 7 high, above 4 medium. */
const SCORES: Readonly<Record<Severity, string>> = { critical: '9.5', high: '8.0', medium: '5.5', low: '3.0' };

interface Rule {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly severity: Severity;
}

interface Result {
  readonly rule: Rule;
  readonly level: Level;
  readonly message: string;
  readonly fingerprint: string;
  readonly place: DecidedFinding['place'];
  readonly more: object;
}

/** Renders a SARIF file. @param version version of this program */
export function sarif(verdict: Verdict, version: string): string {
  // Code scanning services ignore the state, and would report an absent result as an alert.
  const present = verdict.findings.filter(({ baselineState }) => baselineState !== 'absent');
  const found = [...verdict.limits.flatMap((outcome) => whole(outcome, verdict)), ...present.map(ofFinding)];
  const rules = [...new Map(found.map(({ rule }) => [rule.id, rule])).values()];
  const ruleIndexes = new Map(rules.map(({ id }, at) => [id, at]));
  const run = {
    tool: { driver: { name: 'aisec', version, rules: rules.map(ruleOf) } },
    invocations: [
      {
        executionSuccessful: verdict.unfinished === undefined,
        toolExecutionNotifications: notes(found.length, verdict),
      },
    ],
    results: found.slice(0, MOST_RESULTS).map((result) => resultOf(result, ruleIndexes)),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

/** A limit of the result as a whole is broken by no finding alone, so it is a result itself. */
function whole({ source, place, broken, isWhole }: Outcome, { subject }: Verdict): Result[] {
  if (broken === undefined || isWhole !== true) return [];
  const title = 'Limit of a gate';
  const rule: Rule = {
    id: 'aisec/gate/limit',
    title,
    text: 'The result is above a limit of the gate.',
    severity: 'high',
  };
  const fingerprint = fingerprintOf('gate', subject.split(' ')[0] ?? '', source.replace(/:\d+/, ''));
  const message = `${subject}: ${broken} (${source}).`;
  return [
    { rule, level: 'failure', message, fingerprint, place: place ?? { uri: subject.replace(' ', '/') }, more: {} },
  ];
}

function ofFinding(finding: DecidedFinding): Result {
  const { rule: id, title, ruleText, severity, level, message, fingerprint, place, baselineState, accepted } = finding;
  const rule = { id, title, text: ruleText, severity };
  const suppressions = [{ kind: 'external', status: 'accepted', justification: plainText(accepted?.reason ?? '') }];
  const more = {
    ...(baselineState === undefined ? {} : { baselineState }),
    ...(accepted === undefined ? {} : { suppressions }),
  };
  return { rule, level, message, fingerprint, place, more };
}

function ruleOf({ id, title, text, severity }: Rule) {
  return {
    id,
    name: id.replace(/(?:^|[^a-z0-9])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: plainText(title) },
    fullDescription: { text: plainText(text) },
    helpUri: HELP,
    defaultConfiguration: { level: LEVELS[severity === 'low' ? 'note' : 'warning'] },
    properties: { 'security-severity': SCORES[severity], tags: ['security', 'ai'] },
  };
}

function resultOf(
  { rule, level, message, fingerprint, place, more }: Result,
  ruleIndexes: ReadonlyMap<string, number>,
) {
  // Viewers expect a line; the first one stands for the file as a whole.
  const region = { startLine: place.line ?? 1 };
  const physicalLocation = { artifactLocation: { uri: uriOf(place.uri) }, region };
  return {
    ruleId: rule.id,
    ruleIndex: ruleIndexes.get(rule.id),
    level: LEVELS[level],
    message: { text: plainText(message).slice(0, LONGEST_MESSAGE) },
    locations: [{ physicalLocation }],
    partialFingerprints: { 'aisecFinding/v1': fingerprint },
    ...more,
  };
}

function notes(results: number, { unfinished, baseline, summary }: Verdict) {
  const cut = results > MOST_RESULTS ? [`${MOST_RESULTS} of ${results} results are in this file.`] : [];
  const against = baseline === undefined || unfinished !== undefined ? [] : [summary];
  const why = unfinished === undefined ? [] : [unfinished];
  return [
    ...why.map((text) => ({ level: 'error', message: { text: plainText(text) } })),
    ...cut.map((text) => ({ level: 'warning', message: { text } })),
    ...against.map((text) => ({ level: 'note', message: { text: plainText(text) } })),
  ];
}

/** Converts a path to a relative URI: segments are encoded, and dot segments are dropped. */
function uriOf(path: string): string {
  const segments = wellFormed(path)
    .split(/[\\/]+/)
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return segments.length === 0 ? 'unknown' : segments.map(encodeURIComponent).join('/');
}
