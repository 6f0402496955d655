/** Writes the rules of a SARIF file: what each means, and what to do about its findings. */
import { inline } from '../../output/markdown.ts';
import { isAtLeast, plainText, type Remediation, type Severity } from './finding.ts';
import { distinctSteps } from './remediation.ts';

/** Describes the risks that the rules are about. */
const GENERAL = 'https://genai.owasp.org/llm-top-10/';

/** Scores as code scanning services read them: above 9 critical, above 7 high, above 4 medium. */
const SCORES: Readonly<Record<Severity, string>> = { critical: '9.5', high: '8.0', medium: '5.5', low: '3.0' };

export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly severity: Severity;
}

/** A rule with the remediation of one of its findings. */
export interface Ruled {
  readonly rule: Rule;
  readonly remediation: Remediation | undefined;
  readonly isAccepted: boolean;
}

/** Advice where the service recommends nothing, by the family of the rule. */
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
export function rulesOf(found: readonly Ruled[]): object[] {
  const groups = new Map<string, Ruled[]>();
  for (const each of found) {
    const group = groups.get(each.rule.id);
    if (group === undefined) groups.set(each.rule.id, [each]);
    else group.push(each);
  }
  return [...groups.values()].flatMap(ruleOf);
}

/** Readers take the severity of a finding from its rule: that of the worst open finding; accepted ones set none. */
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

/** Returns the address that all findings of a rule have; undefined if they differ. */
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
  // No text begins a line, so that none becomes a heading or a list.
  const written = parts.map(([label, each]) => ({
    text: `${label} ${messageText(each)}`,
    markdown: `**${label}** ${inline(plainText(each))}`,
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
export function messageText(text: string): string {
  return plainText(text).replace(/\]\(/g, '] (');
}
