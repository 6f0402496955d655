/** Writes a verdict as a code-quality report, as GitLab shows it beside a merge request. */
import { plainText, type Severity } from './finding.ts';
import type { DecidedFinding, Verdict } from './verdict.ts';

const SEVERITIES: Readonly<Record<Severity, string>> = {
  critical: 'critical',
  high: 'major',
  medium: 'minor',
  low: 'info',
};

/** Renders the report. What broke a limit is a blocker. */
export function codeQuality({ findings }: Verdict): string {
  const present = findings.filter(
    ({ baselineState, accepted }) => baselineState !== 'absent' && accepted === undefined,
  );
  return `${JSON.stringify(present.map(entry), null, 2)}\n`;
}

function entry({ message, rule, fingerprint, severity, level, place }: DecidedFinding) {
  return {
    description: plainText(message),
    check_name: rule,
    fingerprint,
    severity: level === 'failure' ? 'blocker' : SEVERITIES[severity],
    location: { path: plainText(place.uri), lines: { begin: place.line ?? 1 } },
  };
}
