import { markdown } from '../../../output/markdown.ts';
import { type Readable, type Table, tableOf } from '../../../output/readable.ts';
import { SETTING_NAMES, SETTINGS } from '../../../settings/parameters.ts';
import { type CheckOutcome, firstFailure, runChecks } from '../../checks.ts';
import type { Configuration } from '../configuration.ts';
import { jsonText } from '../json.ts';
import { measureFor } from '../measure.ts';
import { isForPrograms } from '../options.ts';
import { openSession } from '../session.ts';
import type { Invoked } from '../subcommand.ts';
import { renderReadable } from '../table.ts';

const STANDARD_SECONDS = 30;

/** `aisec doctor`: tests each plane, names the tenant, and says which settings are in use. */
export async function doctor({ host, options, format, screen, signal, report }: Invoked): Promise<number> {
  const session = await openSession(host, options, screen);
  try {
    const runtime = await session.runtime(signal);
    const budgetMs = (options.timeoutSeconds ?? STANDARD_SECONDS) * 1000;
    const outcomes = await runChecks({ ...runtime, budgetMs });
    const simulated = options.simulate || outcomes.some((outcome) => outcome.simulated);
    const { configuration } = session;
    if (isForPrograms(format)) screen.result(jsonText(asJson(outcomes, configuration, simulated), screen.terminal));
    else {
      const readable = asReadable(outcomes, configuration, simulated);
      const page = { width: screen.width, style: screen.style, signal, measure: await measureFor(readable) };
      screen.result(format === 'markdown' ? markdown(readable).trimEnd() : await renderReadable(readable, page));
    }
    const failure = firstFailure(outcomes);
    if (failure === undefined) return 0;
    // A person has read it in the table already.
    return isForPrograms(format) ? await report(failure) : failure.exitCode;
  } finally {
    await session.close();
  }
}

function asReadable(outcomes: readonly CheckOutcome[], configuration: Configuration, simulated: boolean): Readable {
  const tenant = configuration.settings.tsg_id;
  const checks = outcomes.map(({ check, state, detail }) => ({ check: sentence(check.title), state, detail }));
  const notes = outcomes.flatMap(({ check, error }) =>
    error?.hint === undefined ? [] : [`${sentence(check.title)}: ${error.hint}`],
  );
  return {
    title: tenant === undefined ? 'No tenant is set' : `Tenant ${tenant}`,
    simulated,
    tables: [tableOf(checks), settingsTable(configuration)],
    notes,
  };
}

function settingsTable({ settings, sources }: Configuration): Table {
  const rows = SETTING_NAMES.map((name) => ({
    setting: SETTINGS[name].environment,
    value: SETTINGS[name].kind === 'secret' && settings[name] !== undefined ? '(set)' : settings[name],
    source: sources[name] ?? 'not set',
  }));
  return tableOf(rows, { title: 'Settings' });
}

function asJson(outcomes: readonly CheckOutcome[], { settings }: Configuration, simulated: boolean) {
  const checks = outcomes.map(({ check: { plane, title, required }, state, detail, error }) => ({
    plane,
    title,
    required,
    state,
    ...(detail === '' ? {} : { detail }),
    ...(error?.hint === undefined ? {} : { hint: error.hint }),
  }));
  return { tenant: settings.tsg_id ?? null, checks, ...(simulated ? { simulated } : {}) };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
