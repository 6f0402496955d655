/** A verdict as JUnit XML: one case for the gate, and one for each finding. */
import { type Finding, plainText, type Verdict } from './verdict.ts';

/** The text of a JUnit file. */
export function junit(verdict: Verdict): string {
  const { findings, failed, unfinished, subject } = verdict;
  const failures = findings.length + (failed ? 1 : 0);
  const errors = unfinished === undefined ? 0 : 1;
  const counts = attributes({ tests: findings.length + 1, failures, errors });
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

function gateCase({ subject, failed, unfinished, summary }: Verdict): string {
  const inner =
    unfinished === undefined
      ? failed
        ? element('failure', { message: summary, type: 'gate' }, summary)
        : undefined
      : element('error', { message: unfinished, type: 'unfinished' }, unfinished);
  return testcase({ classname: 'aisec.gate', name: subject }, inner);
}

function findingCase({ rule, severity, message, place }: Finding): string {
  const name = place.line === undefined ? place.uri : `${place.uri}:${place.line}`;
  const classname = rule.replace(/\//g, '.');
  return testcase({ classname, name }, element('failure', { message: message.slice(0, 200), type: severity }, message));
}

function testcase(names: Record<string, string>, inner: string | undefined): string {
  const open = `    <testcase ${attributes(names)}`;
  return inner === undefined ? `${open}/>` : `${open}>${inner}</testcase>`;
}

function element(name: string, values: Record<string, string>, text: string): string {
  return `<${name} ${attributes(values)}>${escaped(text)}</${name}>`;
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
