/** Writes a verdict as SARIF 2.1.0 (OASIS). Consumers refuse large files, so results are limited and a note says so. */

import { spelledOut, wellFormed } from '../../core/redaction/characters.ts';
import { inline } from '../../runtime/output/markdown.ts';
import { distinctSteps, type Remediation } from '../scans/violations.ts';
import type { DecidedFinding, Level, Outcome, Verdict } from './decide.ts';
import { fingerprintOf, isAtLeast, type Severity } from './finding.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
/** Maximum number of results that code scanning services accept in one run. */
export const MAX_RESULTS = 5000;
const MAX_MESSAGE_LENGTH = 1000;

const LEVELS: Readonly<Record<Level, 'error' | 'warning' | 'note'>> = {
  failure: 'error',
  warning: 'warning',
  note: 'note',
};

interface Result extends Ruled {
  readonly level: Level;
  readonly message: string;
  readonly fingerprint: string;
  readonly place: DecidedFinding['place'];
  readonly more: object;
}

export interface SarifOptions {
  /** Leave out accepted findings, for services that ignore suppressions and would keep their alerts open. */
  readonly omitAccepted?: boolean;
}

export function sarif(verdict: Verdict, version: string, { omitAccepted = false }: SarifOptions = {}): string {
  // Code scanning services ignore the baseline state, and would raise an alert for an absent result.
  const present = verdict.findings.filter(
    ({ baselineState, accepted }) => baselineState !== 'absent' && !(omitAccepted && accepted !== undefined),
  );
  const found = [...verdict.limits.flatMap((outcome) => whole(outcome, verdict)), ...present.map(ofFinding)];
  const ruleIndexes = new Map([...new Set(found.map(({ rule }) => rule.id))].map((id, at) => [id, at]));
  const run = {
    tool: { driver: { name: 'aisec', version, rules: rulesOf(found) } },
    invocations: [
      {
        executionSuccessful: verdict.unfinished === undefined,
        toolExecutionNotifications: notes(found.length, verdict),
      },
    ],
    results: found.slice(0, MAX_RESULTS).map((result) => resultOf(result, ruleIndexes)),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

/** No single finding breaks a limit on the whole scan, so the broken limit is reported as a SARIF result. */
function whole({ source, place, broken, isWhole }: Outcome, { subject }: Verdict): Result[] {
  if (broken === undefined || isWhole !== true) return [];
  const title = 'Limit of a gate';
  const rule = {
    id: 'aisec/gate/limit',
    title,
    text: 'The result is above a limit of the gate.',
    severity: 'high',
  } as const;
  const fingerprint = fingerprintOf('gate', subject.split(' ')[0] ?? '', source.replace(/:\d+/, ''));
  const message = `${subject}: ${broken} (${source}).`;
  const uri = subject.replace(' ', '/');
  return [
    {
      rule,
      remediation: undefined,
      isAccepted: false,
      level: 'failure',
      message,
      fingerprint,
      place: place ?? { uri },
      more: {},
    },
  ];
}

function ofFinding(finding: DecidedFinding): Result {
  const { rule: id, title, ruleText, severity, level, message, fingerprint, place } = finding;
  const { baselineState, accepted, remediation } = finding;
  const rule = { id, title, text: ruleText, severity };
  const suppressions = [{ kind: 'external', status: 'accepted', justification: messageText(accepted?.reason ?? '') }];
  const more = {
    ...(baselineState === undefined ? {} : { baselineState }),
    ...(accepted === undefined ? {} : { suppressions }),
    ...(remediation === undefined ? {} : { properties: { remediation } }),
  };
  return { rule, remediation, isAccepted: accepted !== undefined, level, message, fingerprint, place, more };
}

function resultOf(
  { rule, remediation, level, message, fingerprint, place, more }: Result,
  ruleIndexes: ReadonlyMap<string, number>,
) {
  // Viewers expect a line; line 1 represents the whole file.
  const region = { startLine: place.line ?? 1 };
  const physicalLocation = { artifactLocation: { uri: uriOf(place.uri) }, region };
  return {
    ruleId: rule.id,
    ruleIndex: ruleIndexes.get(rule.id),
    level: LEVELS[level],
    message: { text: withAddress(messageText(message), remediation) },
    locations: [{ physicalLocation }],
    partialFingerprints: { 'aisecFinding/v1': fingerprint },
    ...more,
  };
}

/** Adds the address to the message, because viewers do not show the properties of a result. */
function withAddress(message: string, remediation: Remediation | undefined): string {
  const address = remediation?.url === undefined ? '' : ` What to do: ${remediation.url}`;
  return message.slice(0, MAX_MESSAGE_LENGTH - address.length) + address;
}

function notes(results: number, { unfinished, baseline, summary }: Verdict) {
  const cut = results > MAX_RESULTS ? [`${MAX_RESULTS} of ${results} results are in this file.`] : [];
  const against = baseline === undefined || unfinished !== undefined ? [] : [summary];
  const why = unfinished === undefined ? [] : [unfinished];
  return [
    ...why.map((text) => ({ level: 'error', message: { text: messageText(text) } })),
    ...cut.map((text) => ({ level: 'warning', message: { text } })),
    ...against.map((text) => ({ level: 'note', message: { text: messageText(text) } })),
  ];
}

/** Converts a path to a relative URI: segments are encoded, and dot segments are dropped. */
function uriOf(path: string): string {
  const segments = wellFormed(path)
    .split(/[\\/]+/)
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return segments.length === 0 ? 'unknown' : segments.map(encodeURIComponent).join('/');
}

/** Describes the risks that the rules are about. */
const GENERAL = 'https://genai.owasp.org/llm-top-10/';

/** Scores in the scale of code scanning services: above 9 critical, above 7 high, above 4 medium. */
const SCORES: Readonly<Record<Severity, string>> = { critical: '9.5', high: '8.0', medium: '5.5', low: '3.0' };

export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly severity: Severity;
}

/** A rule, with the remediation of one of its findings. */
interface Ruled {
  readonly rule: Rule;
  readonly remediation: Remediation | undefined;
  readonly isAccepted: boolean;
}

/** Advice by rule family, used if the service recommends nothing. */
const ADVICE: Readonly<Record<string, string>> = {
  model: 'Do not use the model as it is: take a version or a format without this violation, and scan it again.',
  bulk:
    'Read the prompt in the row that the finding names. If it is an attack, keep it from the application; ' +
    'if it is legitimate, change the detectors of the security profile, and scan again.',
  redteam:
    'Read the attack and its response with aisec report JOB_ID --html report.html, which also lists remediations. ' +
    'Strengthen the instructions or guardrails of the target, and scan it again.',
  gate: 'Look at the findings that count towards the limit, and fix them. Change the limit only after a review.',
};

const ACCEPTANCE =
  'A policy file can accept a finding until a date: list its fingerprint (aisecFinding/v1) under accepted.';

/** Describes the rules in the order of their first findings. */
function rulesOf(found: readonly Ruled[]): object[] {
  const groups = new Map<string, Ruled[]>();
  for (const each of found) {
    const group = groups.get(each.rule.id);
    if (group === undefined) groups.set(each.rule.id, [each]);
    else group.push(each);
  }
  return [...groups.values()].flatMap(ruleOf);
}

/**
 * Consumers read a finding's severity from its rule, so a rule gets the severity of its worst open finding; accepted
 * findings are ignored.
 */
function ruleOf(group: readonly Ruled[]): object[] {
  const open = group.filter(({ isAccepted }) => !isAccepted).map(({ rule }) => rule);
  const worst = open.reduce<Rule | undefined>((known, each) => (isWorse(each, known) ? each : known), undefined);
  const rule = worst ?? group[0]?.rule;
  if (rule === undefined) return [];
  const { id, title, text } = rule;
  const remediations = group.map(({ remediation }) => remediation);
  const url = sharedAddress(remediations);
  const described = {
    id,
    name: id.replace(/(?:^|[^a-z0-9])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: messageText(title) },
    fullDescription: { text: messageText(text) },
    help: helpOf(rule, distinctSteps(remediations.flatMap((each) => each?.steps ?? [])), url),
    helpUri: url ?? GENERAL,
    defaultConfiguration: { level: (worst?.severity ?? 'low') === 'low' ? 'note' : 'warning' },
    properties: {
      ...(worst === undefined ? {} : { 'security-severity': SCORES[worst.severity] }),
      tags: ['security', 'ai'],
    },
  };
  return [described];
}

function isWorse(rule: Rule, than: Rule | undefined): boolean {
  return than === undefined || !isAtLeast(rule.severity)(than);
}

/** Returns the address that all findings of a rule share; undefined if they differ. */
function sharedAddress([first, ...others]: readonly Ruled['remediation'][]): string | undefined {
  return others.every((each) => each?.url === first?.url) ? first?.url : undefined;
}

function helpOf({ id, text }: Rule, steps: readonly string[], url: string | undefined) {
  const [, family = ''] = id.split('/');
  const advice = steps.length > 0 ? steps.join(' ') : (ADVICE[family] ?? '');
  const parts: readonly (readonly [label: string, text: string])[] = [
    ['What it means.', oneLine(text)],
    ['What to do.', advice],
    ...(family === 'gate' ? [] : [['To accept it.', ACCEPTANCE] as const]),
  ];
  const more = url === undefined ? [] : [{ text: `More. ${url}`, markdown: `**More.** <${url}>` }];
  // Never put a text at the start of a line, where it could become a heading or a list.
  const written = parts.map(([label, each]) => ({
    text: `${label} ${messageText(each)}`,
    markdown: `**${label}** ${inline(spelledOut(each))}`,
  }));
  const [meaning, remedy, ...rest] = written;
  const all = [meaning, remedy, ...more, ...rest].filter((part) => part !== undefined);
  return {
    text: all.map((part) => part.text).join('\n\n'),
    markdown: all.map((part) => part.markdown).join('\n\n'),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Converts text for a SARIF message, in which `[text](address)` would be a link. */
function messageText(text: string): string {
  return spelledOut(text).replace(/\]\(/g, '] (');
}
