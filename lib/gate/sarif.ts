/** A verdict as SARIF 2.1.0 (OASIS). Readers refuse large files, so the results are cut and the cut is said. */
import { wellFormed } from '../redaction/characters.ts';
import { type Finding, plainText, type Severity, type Verdict } from './verdict.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
/** What code scanning services take in one run. */
export const MOST_RESULTS = 5000;
const LONGEST_MESSAGE = 1000;

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
};

/** The text of a SARIF file. @param version of this program */
export function sarif(verdict: Verdict, version: string): string {
  const rules = [...new Map(verdict.findings.map((finding) => [finding.rule, finding])).values()];
  const results = verdict.findings.slice(0, MOST_RESULTS).map((finding) => result(finding, rules));
  const run = {
    tool: { driver: { name: 'aisec', version, rules: rules.map(rule) } },
    invocations: [
      { executionSuccessful: verdict.unfinished === undefined, toolExecutionNotifications: notes(verdict) },
    ],
    results,
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function rule({ rule: id, ruleText, severity }: Finding) {
  const text = plainText(ruleText);
  return { id, shortDescription: { text }, defaultConfiguration: { level: LEVELS[severity] } };
}

function result({ rule: ruleId, severity, message, place }: Finding, rules: readonly Finding[]) {
  const text = plainText(message).slice(0, LONGEST_MESSAGE);
  const region = place.line === undefined ? {} : { region: { startLine: place.line } };
  const physicalLocation = { artifactLocation: { uri: uriOf(place.uri) }, ...region };
  const ruleIndex = rules.findIndex((known) => known.rule === ruleId);
  return { ruleId, ruleIndex, level: LEVELS[severity], message: { text }, locations: [{ physicalLocation }] };
}

function notes({ findings, unfinished }: Verdict) {
  const cut = findings.length > MOST_RESULTS ? [`${MOST_RESULTS} of ${findings.length} results are in this file.`] : [];
  const why = unfinished === undefined ? [] : [unfinished];
  return [
    ...why.map((text) => ({ level: 'error', message: { text: plainText(text) } })),
    ...cut.map((text) => ({ level: 'warning', message: { text } })),
  ];
}

/** A path as a relative reference: each segment encoded, and none that leads elsewhere. */
function uriOf(path: string): string {
  const segments = wellFormed(path)
    .split(/[\\/]+/)
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return segments.length === 0 ? 'unknown' : segments.map(encodeURIComponent).join('/');
}
