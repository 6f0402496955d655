/** Writes a verdict for other programs: workflow commands, a code-quality report, JUnit XML, and a page of markdown. */
import { spelledOut } from '../../core/redaction/characters.ts';
import { markdown } from '../../runtime/output/markdown.ts';
import { tableOf } from '../../runtime/output/readable.ts';
import type { DecidedFinding, Verdict } from './decide.ts';
import { placeText, type Severity } from './finding.ts';

/** Maximum annotations that GitHub Actions shows for one step. */
const MAX_ANNOTATIONS = 10;

/** Renders workflow commands for GitHub Actions: one line for each finding that broke a limit, and one for the verdict. */
export function workflowCommands({ findings, failed, unfinished, summary, subject }: Verdict): string {
  const failures = findings.filter(({ level }) => level === 'failure').slice(0, MAX_ANNOTATIONS - 1);
  const verdict = failed || unfinished !== undefined ? 'error' : 'notice';
  return [
    command(verdict, { title: `aisec gate ${subject}` }, unfinished ?? summary),
    ...failures.map(({ message, title, place: { uri, line } }) =>
      command('error', { file: uri, ...(line === undefined ? {} : { line: String(line) }), title }, message),
    ),
  ].join('\n');
}

function command(name: string, properties: Readonly<Record<string, string>>, message: string): string {
  const list = Object.entries(properties).map(
    ([key, value]) => `${key}=${ofCommand(value).replace(/:/g, '%3A').replace(/,/g, '%2C')}`,
  );
  return `::${name} ${list.join(',')}::${ofCommand(message)}`;
}

/** A line break would begin another command. */
function ofCommand(text: string): string {
  return spelledOut(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

const GITLAB_SEVERITIES: Readonly<Record<Severity, string>> = {
  critical: 'critical',
  high: 'major',
  medium: 'minor',
  low: 'info',
};

/**
 * Renders a code-quality report, as GitLab shows it next to a merge request. Findings that break a limit are blockers.
 */
export function codeQuality({ findings }: Verdict): string {
  const present = findings.filter(
    ({ baselineState, accepted }) => baselineState !== 'absent' && accepted === undefined,
  );
  return `${JSON.stringify(present.map(entry), null, 2)}\n`;
}

function entry({ message, rule, fingerprint, severity, level, place }: DecidedFinding) {
  return {
    description: spelledOut(message),
    check_name: rule,
    fingerprint,
    severity: level === 'failure' ? 'blocker' : GITLAB_SEVERITIES[severity],
    location: { path: spelledOut(place.uri), lines: { begin: place.line ?? 1 } },
  };
}

/**
 * Renders JUnit XML: one test case for the gate, and one for each finding. Only findings that break a limit fail;
 * findings that are also in the baseline or that the policy accepts are skipped; all others pass, with their message.
 */
export function junit(verdict: Verdict): string {
  const { findings, failed, unfinished, subject } = verdict;
  const failures = findings.filter(({ level }) => level === 'failure').length + (failed ? 1 : 0);
  const errors = unfinished === undefined ? 0 : 1;
  const skipped = findings.filter(isSkipped).length;
  const counts = attributes({ tests: findings.length + 1, failures, errors, skipped });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite ${attributes({ name: `aisec gate ${subject}` })} ${counts}>`,
    gateCase(verdict),
    ...findings.map(findingCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function isSkipped({ level, baselineState, accepted }: DecidedFinding): boolean {
  return level !== 'failure' && (accepted !== undefined || baselineState === 'unchanged');
}

function gateCase({ subject, failed, unfinished, summary }: Verdict): string {
  const inner =
    unfinished === undefined
      ? failed
        ? element('failure', { message: summary, type: 'gate' }, summary)
        : undefined
      : element('error', { message: unfinished, type: 'unfinished' }, unfinished);
  return testcase({ classname: 'aisec.gate', name: subject }, inner);
}

function findingCase(finding: DecidedFinding): string {
  const { rule, severity, message, place, level, accepted, because = '', fingerprint } = finding;
  const names = { classname: rule.replace(/\//g, '.'), name: `${placeText(place)} ${fingerprint}` };
  const short = message.slice(0, 200);
  if (level === 'failure') {
    return testcase(names, element('failure', { message: short, type: severity }, `${message} (${because})`));
  }
  const reason = accepted === undefined ? short : `Accepted by ${accepted.owner}: ${accepted.reason}`;
  if (isSkipped(finding)) return testcase(names, element('skipped', { message: reason }, ''));
  return testcase(names, element('system-out', {}, message));
}

function testcase(names: Record<string, string>, inner: string | undefined): string {
  const open = `    <testcase ${attributes(names)}`;
  return inner === undefined ? `${open}/>` : `${open}>${inner}</testcase>`;
}

function element(name: string, values: Record<string, string>, text: string): string {
  return `<${[name, attributes(values)].filter((part) => part !== '').join(' ')}>${ofXml(text)}</${name}>`;
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${ofXml(String(value)).replace(/\s/g, ' ')}"`)
    .join(' ');
}

function ofXml(text: string): string {
  return spelledOut(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\r/g, '&#13;');
}

const MAX_ROWS = 50;

/** Renders a page of markdown, for the summary of a pipeline. @param simulated the answers came from the simulated service */
export function summaryPage(verdict: Verdict, simulated: boolean): string {
  const { subject, failed, unfinished, summary, findings, limits, notes = [] } = verdict;
  const state = unfinished === undefined ? (failed ? 'failed' : 'passed') : 'has no verdict';
  const shown = findings.filter(({ level }) => level !== 'note');
  const more = shown.length > MAX_ROWS ? [`${shown.length - MAX_ROWS} more findings are not shown.`] : [];
  return markdown({
    title: `aisec gate ${subject}: ${state}`,
    simulated,
    tables: [
      ...(limits.length === 0
        ? []
        : [
            tableOf(
              limits.map(({ source, broken, doubt, used }) => ({
                limit: source,
                result: broken ?? doubt ?? used ?? 'holds',
              })),
            ),
          ]),
      ...(shown.length === 0 ? [] : [tableOf(shown.slice(0, MAX_ROWS).map(rowOf), { title: 'Findings' })]),
    ],
    notes: [summary, ...more, ...notes],
  });
}

function rowOf({ level, severity, title, place, fingerprint }: DecidedFinding) {
  return { level, severity, finding: title, location: placeText(place), fingerprint };
}
