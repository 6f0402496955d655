/**
 * Writes a verdict as JUnit XML: one case for the gate, and one for each finding. Only what broke a limit fails; what the
 * baseline has too, and what the policy accepts, is skipped; everything else passes, with its message.
 */
import { placeText, plainText } from './finding.ts';
import type { DecidedFinding, Verdict } from './verdict.ts';

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
  return `<${[name, attributes(values)].filter((part) => part !== '').join(' ')}>${escaped(text)}</${name}>`;
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value)).replace(/\s/g, ' ')}"`)
    .join(' ');
}

function escaped(text: string): string {
  return plainText(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\r/g, '&#13;');
}
