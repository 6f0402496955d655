/** The dialogue of `aisec init`: asks for the settings of a tenant, tests them, and writes a section of the settings file. */
import { CancelledError, ConfigurationError, UsageError } from '../../../../core/errors.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../../../../core/parameters.ts';
import { SCANNER_URLS } from '../../../../core/wire.ts';
import { configurationFor } from '../../../../node/settings/configuration.ts';
import { DEFAULT_PROFILE, readSections } from '../../../../node/settings/file.ts';
import { writeSection } from '../../../../node/settings/file-update.ts';
import { namedProfile, settingsPath } from '../../../../node/settings/location.ts';
import { firstFailure, runChecks } from '../../../../runtime/engine/checks.ts';
import { settingProblem } from '../../../../runtime/settings/settings.ts';
import { openSession } from '../../line/session.ts';
import type { SubcommandContext } from '../../line/subcommand.ts';
import { sanitize } from '../../ui/sanitize.ts';
import { renderChecks } from '../shared/checks-view.ts';
import { Questions } from './questions.ts';

const ASKED = ['url', 'client_id', 'client_secret', 'tsg_id', 'runtime_api_key'] as const satisfies SettingName[];
/** The setting that is asked last, with its choices and default, unless an option gives it. */
const REGION = 'scanner_base_url' satisfies SettingName;
const QUESTIONS: readonly SettingName[] = [...ASKED, REGION];
const STANDARD_SECONDS = 30;
/** An example, not a default, because the address depends on the tenant's region. */
const EXAMPLE_URL = 'https://api.sase.paloaltonetworks.com';

type Values = Readonly<Record<string, unknown>>;

/** Runs the dialogue. @returns 0 if the section was written */
export async function runDialogue(cli: SubcommandContext): Promise<number> {
  const { host, options, screen, signal } = cli;
  const place = placeOf(cli);
  if (host.stdin.isTTY !== true) throw notATerminal(place.path);
  const { base, section } = await presentValues(cli, place);
  const questions = new Questions(host.stdin, host.stderr, signal);
  try {
    if (section !== undefined && !(await questions.confirm(`Profile ${place.profile} exists. Change it?`))) {
      throw new CancelledError('the profile stays as it is.');
    }
    screen.note(
      `Settings for profile ${place.profile} in ${sanitize(place.path)}. Press Enter to skip or keep a value.`,
    );
    const present = { ...base, ...section, ...options.settings };
    const asked = QUESTIONS.filter((name) => name !== REGION || options.settings[name] === undefined);
    const answers = await answersTo(questions, asked, present, (text) => screen.note(text));
    const code = await test({ ...present, ...answers }, cli, questions);
    return await save({ ...options.settings, ...answers }, place, { cli, questions, code });
  } finally {
    questions.close();
  }
}

interface Tested {
  readonly cli: SubcommandContext;
  readonly questions: Questions;
  /** Exit code of the connection test. */
  readonly code: number;
}

/** Writes the section, unless this is a dry run, or the test failed and the user declines. @returns the exit code */
async function save(
  written: Readonly<Record<string, string>>,
  place: Place,
  { cli, questions, code }: Tested,
): Promise<number> {
  const { options, screen } = cli;
  if (options.dryRun) {
    screen.note(plannedSection(place, written));
    return code;
  }
  if (code !== 0 && !(await questions.confirm('The connection test failed. Save these settings anyway?'))) {
    screen.note('Nothing was written.');
    return code;
  }
  await writeSection(place.path, place.profile, written);
  for (const line of farewell(cli, place)) screen.note(line);
  return 0;
}

type Place = ReturnType<typeof placeOf>;

function placeOf({ host: { environment }, options }: SubcommandContext) {
  const request = { path: options.config, profile: options.profile, environment };
  const path = settingsPath(request);
  if (path === undefined) {
    throw new ConfigurationError('The settings file needs a home directory, but HOME is not set.', {
      hint: 'Name a file with --config FILE.',
    });
  }
  const profile = namedProfile(request) ?? DEFAULT_PROFILE;
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(profile)) return { path, profile };
  throw new UsageError('The name of a profile has letters, digits, dots, hyphens and underscores, at most 64.', {
    hint: 'For example: aisec init --profile staging',
  });
}

function notATerminal(path: string): UsageError {
  const names = ASKED.map((name) => SETTINGS[name].environment);
  return new UsageError('aisec init asks questions, and standard input is not a terminal.', {
    hint: `Set ${names.slice(0, -1).join(', ')} and ${names.at(-1)} in the environment, or write ${path}; docs/settings.md has an example.`,
  });
}

/** Reads the current settings, and checks the whole file before the first question. */
async function presentValues({ host, signal }: SubcommandContext, { path, profile }: Place) {
  const { environment } = host;
  const found = await readSections({ path, environment, signal }).catch((thrown: unknown) => {
    if (thrown instanceof ConfigurationError && thrown.message.endsWith('does not exist.')) return undefined;
    throw thrown;
  });
  const base: Values = found?.base.values ?? {};
  return { base, section: found?.sections.find(({ name }) => name === profile)?.values };
}

async function answersTo(
  questions: Questions,
  asked: readonly SettingName[],
  present: Values,
  note: (text: string) => void,
): Promise<Partial<Record<SettingName, string>>> {
  const answers: Partial<Record<SettingName, string>> = {};
  for (const name of asked) {
    const { display, kind, options = [], default: standard } = SETTINGS[name];
    if (name === 'url' && present.url === undefined)
      note(`The management address of your region, such as ${EXAMPLE_URL}`);
    for (const line of regionLines(options)) note(line);
    const secret = kind === 'secret';
    const set = present[name] ?? standard;
    const value = set === undefined ? undefined : sanitize(String(set));
    const shown = secret
      ? ` (not shown${value === undefined ? '' : '; set'})`
      : value === undefined
        ? ''
        : ` [${value}]`;
    for (;;) {
      const answer = chosen((await questions.ask(`${display}${shown}: `, { secret })).trim(), options);
      if (answer === '') break;
      const problem = settingProblem(name, answer);
      if (problem === undefined) {
        answers[name] = answer;
        break;
      }
      note(`${display} ${problem}.`);
    }
  }
  if (Object.keys(answers).length > 0 || ASKED.some((name) => present[name] !== undefined)) return answers;
  throw new CancelledError('no setting was given; nothing was written.');
}

/** Runs the checks of `aisec doctor` only on the answers: an environment variable must not replace a missing answer. */
async function test(values: Values, cli: SubcommandContext, questions: Questions): Promise<number> {
  const { options, screen, format } = cli;
  const signal = AbortSignal.any([cli.signal, questions.cancelled]);
  const configuration = { ...(await configurationFor(values)), simulation: undefined };
  const session = await openSession(cli, configuration);
  try {
    screen.note('Testing the connection ...');
    const budgetMs = (options.timeoutSeconds ?? STANDARD_SECONDS) * 1000;
    const outcomes = await runChecks({ ...(await session.runtime(signal)), budgetMs });
    const simulated = outcomes.some((outcome) => outcome.simulated);
    const shown = { outcomes, configuration, simulated, settings: false, notes: [] };
    screen.result(await renderChecks(shown, { format, screen, signal, options }));
    return firstFailure(outcomes)?.exitCode ?? 0;
  } finally {
    await session.close();
  }
}

/** Names the settings without their values, because some are secrets. */
function plannedSection({ path, profile }: Place, written: object): string {
  const names = Object.keys(written);
  const what = names.length === 0 ? 'no new setting' : names.join(', ');
  return `Dry run: profile ${profile} would be saved in ${sanitize(path)}, with ${what}. Nothing was written.`;
}

function farewell({ host: { environment } }: SubcommandContext, { path, profile }: Place): string[] {
  const set = SETTING_NAMES.map((name) => SETTINGS[name].environment).filter(
    (name) => (environment[name] ?? '') !== '',
  );
  const use = profile === DEFAULT_PROFILE ? 'aisec' : `aisec --profile ${profile}`;
  return [
    `Saved profile ${profile} in ${sanitize(path)}. Open the war room with: ${use}`,
    ...(set.length === 0 ? [] : [`note: the environment goes before the file: ${set.join(', ')}.`]),
  ];
}

/** Lists the addresses of the regions, each with the number that chooses it. */
export function regionLines(addresses: readonly string[]): string[] {
  if (addresses.length === 0) return [];
  const regions = addresses.map((address, at) => `  ${at + 1}  ${regionOf(address).padEnd(4)}  ${address}`);
  return [
    'Regions of the scanner; the region of your deployment profile is right. Type a number or an address.',
    ...regions,
  ];
}

/** Returns the address for a region's number or name, or the answer itself. */
export function chosen(answer: string, addresses: readonly string[]): string {
  const named = addresses.find((address) => regionOf(address).toLowerCase() === answer.toLowerCase());
  return named ?? (/^[1-9]\d?$/.test(answer) ? addresses[Number(answer) - 1] : undefined) ?? answer;
}

function regionOf(address: string): string {
  return Object.entries(SCANNER_URLS).find(([, url]) => url === address)?.[0] ?? '';
}
