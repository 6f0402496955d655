/** The page of a model scan, and its data. */
import { ServiceError } from '../../core/errors.ts';
import { asText, objectOf } from '../../core/json.ts';
import { textOf } from '../../core/received.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import type { ReportOptions } from '../scans/collect/collect.ts';
import { ReportSource } from '../scans/collect/report-source.ts';
import { type ModelScan, runCommand } from '../scans/commands.ts';
import { type Html, html, link } from '../scans/escape.ts';
import { counted, figure, moment, name, shortenedHtml, worded } from '../scans/format.ts';
import type { MissingPart } from '../scans/report-data.ts';
import { readViolations, type Violation } from '../scans/violations.ts';
import { header, htmlTable, incompleteBanner, notesSection, pageOf, panel, pill, tiles } from './page/page.ts';
import { VERDICT_STYLE } from './page/style.ts';

/** More violations than any scan has. */
const MAX_VIOLATIONS = 10_000;

export interface ModelData {
  readonly scan: ModelScan;
  /** Blocking violations first. */
  readonly violations: readonly Violation[];
  readonly missing: readonly MissingPart[];
  readonly simulated: boolean;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}

/** Reports whether a violation blocks the model. */
function isBlocking({ rule_instance_state: state }: Violation): boolean {
  return state === 'BLOCKING';
}

/**
 * Collects a finished scan with all its violations. @throws ServiceError for a scan without an outcome yet; AisecError
 * of any kind
 */
export async function collectModel(uuid: string, run: RunCommand, options: ReportOptions): Promise<ModelData> {
  const { createdAt, version, progress } = options;
  const source = new ReportSource(run);
  const { record: scan } = await runCommand(source.run, 'aisec-model-security-scans-get', { uuid });
  const outcome = textOf(scan.eval_outcome);
  if (outcome === undefined || outcome === 'PENDING') {
    throw new ServiceError(
      `The model scan ${asText(scan.uuid ?? uuid)} has no result yet: its outcome is ${outcome ?? 'missing'}.`,
      {
        hint: `Wait until it is decided: !aisec-model-security-scans-get uuid=${asText(scan.uuid ?? uuid)}`,
      },
    );
  }
  progress('Violations');
  const args = { uuid, limit: MAX_VIOLATIONS };
  const found = await source.optional('The violations', 'aisec-model-security-scans-violations', args);
  // Remediations are only in the raw response.
  const violations = readViolations(objectOf(found?.raw)['violations'] ?? found?.record.violations);
  if (outcome === 'BLOCKED' && found !== undefined) source.expect('The violations', violations.length, 1);
  return {
    scan,
    violations: violations.toSorted((a, b) => Number(isBlocking(b)) - Number(isBlocking(a))),
    missing: source.missing,
    simulated: source.simulated,
    createdAt,
    version,
  };
}

const KIND = 'Model scan report';
const MAX_ROWS = 300;
const MAX_TEXT = 600;

const EXPLAINED: readonly Html[] = [
  html`<b>Blocking</b> rules of the security group block a model that violates them; the others only report it.`,
];

/** Renders the page. */
export function modelPage(data: ModelData): string {
  const { scan, simulated, missing } = data;
  return pageOf({
    title: textOf(scan.model_uri) ?? 'Model without an address',
    kind: KIND,
    scan: textOf(scan.uuid),
    simulated,
    style: VERDICT_STYLE,
    banners: [errorBanner(data), incompleteBanner(missing)],
    main: html`${heading(data)}
${overview(data)}
<div class="grid">
${violationsPanel(data)}
</div>
${notesSection(data, EXPLAINED, html`the model scan ${name(scan.uuid)}`)}`,
  });
}

function errorBanner({ scan }: ModelData): Html | undefined {
  if (scan.eval_outcome !== 'ERROR') return undefined;
  const reason = [scan.error_code, scan.error_message].map(textOf).filter((part) => part !== undefined);
  return html`<p class="banner partial"><b>NO VERDICT</b> The scan failed${reason.length === 0 ? undefined : html`: ${name(reason.join(': '))}`}. This is not a pass.</p>`;
}

function heading({ scan }: ModelData): Html {
  const formats = Array.isArray(scan.model_formats)
    ? scan.model_formats.filter((each) => textOf(each) !== undefined)
    : [];
  return header(KIND, html`${name(scan.model_uri)} ${outcomePill(scan.eval_outcome)}`, [
    ['Security group', name(scan.security_group_name)],
    ['Source', name(worded(textOf(scan.source_type) ?? ''))],
    ['Scanned', moment(scan.created_at)],
    ...(formats.length === 0 ? [] : [['Formats', name(formats.join(', '))] as const]),
    ['Scan', html`<code>${name(scan.uuid)}</code>`],
  ]);
}

const OUTCOMES: Readonly<Record<string, string>> = { ALLOWED: 'allowed', BLOCKED: 'critical' };

function outcomePill(outcome: unknown): Html {
  const text = textOf(outcome) ?? 'not reported';
  return html`<span class="pill ${OUTCOMES[text] ?? 'other'}">${text.slice(0, 40)}</span>`;
}

/** Counts violations; a count of zero is reliable only if the scan and its list are complete. */
function known(count: number, { scan, missing }: ModelData): number | undefined {
  return count > 0 || (missing.length === 0 && scan.eval_outcome !== 'ERROR') ? count : undefined;
}

function overview(data: ModelData): Html {
  const { scan, violations } = data;
  const blocking = violations.filter(isBlocking).length;
  const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
  return html`<section class="panel verdict" aria-label="Overview">${tiles([
    { term: 'Blocking', value: known(blocking, data), hint: 'violations', kind: blocking > 0 ? 'bad' : undefined },
    { term: 'Other', value: known(violations.length - blocking, data), hint: 'violations' },
    {
      term: 'Rules passed',
      value: number(scan.rules_passed),
      hint: typeof scan.total_rules === 'number' ? `of ${figure(scan.total_rules)}` : '',
    },
    {
      term: 'Files scanned',
      value: number(scan.total_files_scanned),
      hint: typeof scan.total_files_skipped === 'number' ? `${figure(scan.total_files_skipped)} skipped` : '',
    },
  ])}</section>`;
}

function violationsPanel(data: ModelData): Html {
  const { violations, missing, scan } = data;
  const count = known(violations.length, data);
  const title = count === undefined ? 'Violations' : `Violations: ${figure(count)}`;
  if (violations.length === 0) {
    const isClear = missing.length === 0 && scan.eval_outcome === 'ALLOWED';
    const text = isClear
      ? html`<p class="good">No rule is violated.</p>`
      : html`<p class="missing">No violation is reported.</p>`;
    return panel('violations', title, text, 'wide');
  }
  const cut =
    violations.length > MAX_ROWS
      ? html`<p class="small">The page has ${figure(MAX_ROWS)} of ${counted(violations.length, 'violation')}, blocking first.</p>`
      : undefined;
  const rows = violations.slice(0, MAX_ROWS).map(row);
  return panel('violations', title, htmlTable(['Effect', 'Rule', 'File', 'What was found'], rows, cut), 'wide');
}

function row(violation: Violation): Html {
  const { rule_name, file, threat, threat_description, description, remediation } = violation;
  const what = textOf(description) ?? textOf(threat_description);
  const steps = remediation?.steps ?? [];
  return html`<tr><td>${isBlocking(violation) ? html`<span class="pill high">blocking</span>` : pill('reported')}</td><td><b>${name(rule_name)}</b></td>
<td>${file === undefined || file === '' ? html`<span class="missing">the model</span>` : html`<code>${name(file)}</code>`}</td>
<td class="text" dir="auto">${what === undefined ? undefined : shortenedHtml(what, MAX_TEXT)}${textOf(threat) === undefined ? undefined : html` <code>${name(threat)}</code>`}${steps.map((step) => html`<span class="step">${shortenedHtml(step, MAX_TEXT)}</span>`)}${remediation?.url === undefined ? undefined : html`<span class="step">${link(remediation.url)}</span>`}</td></tr>`;
}
