/** Writes a verdict as SARIF 2.1.0 (OASIS). Readers refuse large files, so results are limited and a note says so. */
import { wellFormed } from '../../redaction/characters.ts';
import type { DecidedFinding, Level, Outcome, Verdict } from './decide.ts';
import { fingerprintOf, type Remediation } from './finding.ts';
import { messageText, type Ruled, rulesOf } from './sarif-rules.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
/** Maximum results that code scanning services accept in one run. */
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
  /** Leave accepted findings out, for services that ignore suppressions and would keep open alerts. */
  readonly omitAccepted?: boolean;
}

export function sarif(verdict: Verdict, version: string, { omitAccepted = false }: SarifOptions = {}): string {
  // Code scanning services ignore the state, and would report an absent result as an alert.
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

/** A limit of the result as a whole is broken by no finding alone, so it is a result itself. */
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
  // Viewers expect a line; the first one stands for the file as a whole.
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
