/** Shows the outcomes of the connection test. */

import { SETTING_NAMES, SETTINGS } from '../../../../core/parameters.ts';
import type { CheckOutcome } from '../../../../runtime/engine/checks.ts';
import { type Readable, type Table, tableOf } from '../../../../runtime/output/readable.ts';
import type { Configuration } from '../../line/configuration.ts';
import { isForPrograms } from '../../line/options.ts';
import type { SubcommandContext } from '../../line/subcommand.ts';
import { readableText } from '../../result/page.ts';
import { stateOf } from '../../ui/cells.ts';
import { jsonText } from '../../ui/json.ts';

export interface ChecksShown {
  readonly outcomes: readonly CheckOutcome[];
  readonly configuration: Configuration;
  readonly simulated: boolean;
  /** List the settings too. */
  readonly settings: boolean;
  /** Sentences to print above the sentences about failed checks. */
  readonly notes: readonly string[];
}

/** Renders the outcomes in the format of the run. */
export async function renderChecks(
  shown: ChecksShown,
  cli: Pick<SubcommandContext, 'format' | 'screen' | 'signal' | 'options'>,
): Promise<string> {
  if (isForPrograms(cli.format)) return jsonText(asJson(shown), cli.screen.terminal);
  const { outcomes } = shown;
  const checks = cli.format === 'table' ? marked(outcomes) : tableOf(outcomes.map(rowOf));
  return readableText(asReadable(shown, checks), cli);
}

/** Marks the states as lists do, and drops the column of details if it is empty. */
function marked(outcomes: readonly CheckOutcome[]): Table {
  const rows = outcomes.map(rowOf).map((row) => ({ ...row, state: stateOf(row.state).text }));
  const isDetailed = rows.some(({ detail }) => detail !== '');
  return tableOf(rows, { columns: ['check', 'state', ...(isDetailed ? ['detail'] : [])] });
}

function rowOf({ check, state, detail }: CheckOutcome) {
  return { check: sentence(check.title), state, detail };
}

function asReadable({ outcomes, configuration, simulated, settings, notes }: ChecksShown, checks: Table): Readable {
  const tenant = configuration.settings.tsg_id;
  const hints = outcomes.flatMap(({ check, error }) =>
    error?.hint === undefined ? [] : [`${sentence(check.title)}: ${error.hint}`],
  );
  return {
    title: tenant === undefined ? 'No tenant is set' : `Tenant ${tenant}`,
    simulated,
    tables: [checks, ...(settings ? [settingsTable(configuration)] : [])],
    notes: [...notes, ...hints],
  };
}

function settingsTable({ settings, sources }: Configuration): Table {
  const rows = SETTING_NAMES.map((name) => ({
    setting: SETTINGS[name].environment,
    source: sources[name] ?? 'not set',
    // The last column may be wider than the screen, because an address is not broken.
    value: SETTINGS[name].kind === 'secret' && settings[name] !== undefined ? '(set)' : settings[name],
  }));
  return tableOf(rows, { title: 'Settings' });
}

function asJson({ outcomes, configuration: { settings, file }, simulated }: ChecksShown) {
  const checks = outcomes.map(({ check: { plane, title, required }, state, detail, error }) => ({
    plane,
    title,
    required,
    state,
    ...(detail === '' ? {} : { detail }),
    ...(error?.hint === undefined ? {} : { hint: error.hint }),
  }));
  return {
    tenant: settings.tsg_id ?? null,
    file: file?.path ?? null,
    profile: file?.profile ?? null,
    production: file?.production ?? false,
    checks,
    ...(simulated ? { simulated } : {}),
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
