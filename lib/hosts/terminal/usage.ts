/** The help of the program itself. */
import { OPTIONS, type Option } from './options.ts';
import type { Subcommands } from './subcommand.ts';
import { definitions, type Page } from './wrap.ts';

const FORMS: readonly (readonly [string, string])[] = [
  ["aisec '!aisec-... name=value'", 'run one command'],
  ['aisec', 'war room: a prompt with history, completion and a context'],
  ['... | aisec', 'one command a line; # begins a comment'],
];

/** What `--help` shows. */
export function usage(subcommands: Subcommands, page: Page): string {
  const { style } = page;
  const forms = Object.values(subcommands).map(({ usage: form, summary }) => [`aisec ${form}`, summary] as const);
  return [
    style.bold('Usage'),
    ...definitions([...FORMS, ...forms], page),
    '',
    style.bold('Options'),
    ...optionLines(Object.entries(OPTIONS), page),
    '',
    'Settings come from an option, then from AISEC_* in the environment, then from the settings file.',
  ].join('\n');
}

/** What `help` says of a subcommand. */
export function subcommandUsage(name: string, subcommands: Subcommands, page: Page): string | undefined {
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) return undefined;
  const own = Object.entries(OPTIONS).filter(([, { of }]) => of?.includes(name) === true);
  return [
    page.style.bold(`aisec ${subcommand.usage}`),
    `  ${subcommand.summary}`,
    ...(own.length === 0 ? [] : ['', page.style.bold('Options'), ...optionLines(own, page)]),
  ].join('\n');
}

function optionLines(options: readonly (readonly [string, Option])[], page: Page): string[] {
  return definitions(
    options.map(([name, { value, description }]) => [
      `--${name}${value === undefined ? '' : ` ${value}`}`,
      description,
    ]),
    page,
  );
}
