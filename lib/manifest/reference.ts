/** Generates the command reference: a markdown page for each resource, and an index. */
import { alternativesOf } from '../runtime/arguments/generic.ts';
import { heading } from '../runtime/output/readable.ts';
import { type ArgumentInfo, type CommandInfo, EXTENSION, sentences } from './catalogue.ts';

/** The commands of one resource: one file of declarations, one page. */
export interface Resource {
  /** Such as `runtime/topics`. */
  readonly name: string;
  readonly commands: readonly CommandInfo[];
}

export interface Page {
  /** File name, such as `runtime-topics.md`. */
  readonly file: string;
  readonly text: string;
}

const WRITTEN = '<!-- Written by `npm run generate` from the declarations in commands/ and context/. -->';
/** Explains each effect to the user. */
export const EFFECTS = {
  read: 'Reads only.',
  run: 'Starts work at the service; it may use up quota.',
  create: 'Creates something at the service.',
  update: 'Changes something at the service.',
  replace: 'Replaces something at the service as a whole.',
  delete: 'Deletes something at the service.',
} as const;
export const OUTSIDE = 'It reaches a system outside the service.';

/** Creates all pages: `README.md` first, then the resources in order. */
export function referenceOf(resources: readonly Resource[]): Page[] {
  return [{ file: 'README.md', text: indexPage(resources) }, ...resources.map(resourcePage)];
}

function indexPage(resources: readonly Resource[]): string {
  const count = resources.reduce((sum, { commands }) => sum + commands.length, 0);
  const sections = resources.map((resource) =>
    [
      `## [${titleOf(resource)}](${fileOf(resource)})`,
      table(
        ['Command', 'What it does'],
        resource.commands.map(({ name, summary }) => [`[\`${name}\`](${fileOf(resource)}#${name})`, plain(summary)]),
      ),
    ].join('\n\n'),
  );
  const intro = `${count} commands, by resource. Arguments and context paths with the words *${EXTENSION}* are extensions of the interface: the service does not require such an argument, and such a path is written only if the service sends it.`;
  return `${['# Commands', WRITTEN, intro, ...sections].join('\n\n')}\n`;
}

function resourcePage(resource: Resource): Page {
  const parts = [`# ${titleOf(resource)}`, WRITTEN, ...resource.commands.map(commandPart)];
  return { file: fileOf(resource), text: `${parts.join('\n\n')}\n` };
}

function commandPart(command: CommandInfo): string {
  return [
    `## ${command.name}`,
    [plain(command.summary), EFFECTS[command.effect], ...(command.outside ? [OUTSIDE] : [])].join(' '),
    code(`!${command.name} ${command.example}`.trim()),
    argumentsPart(command.arguments),
    ...(command.rules.length === 0 ? [] : [command.rules.map((rule) => `- ${plain(rule)}`).join('\n')]),
    table(
      ['Context path', 'Type', 'Description'],
      command.outputs.map(({ path, type, isDate, extension, description }) => [
        code(path),
        isDate === true ? 'Date' : type,
        extension === true ? sentences([plain(description)], true) : plain(description),
      ]),
    ),
  ].join('\n\n');
}

function argumentsPart(args: readonly ArgumentInfo[]): string {
  if (args.length === 0) return 'It takes no arguments.';
  return table(
    ['Argument', 'Kind', 'Required', 'Default', 'Description'],
    args.map((argument) => [
      code(argument.name),
      argument.kind,
      argument.required ? 'yes' : '',
      argument.default === undefined ? '' : code(argument.default),
      explain(argument),
    ]),
  );
}

function explain(argument: ArgumentInfo): string {
  const { description, choices, hints, secret, clearable, positional, extension } = argument;
  const others = alternativesOf(argument);
  const list = (values: readonly string[]) => values.map(code).join(', ');
  const parts = [
    plain(description),
    choices === undefined ? '' : `One of ${list(choices)}.`,
    hints === undefined ? '' : `Known values: ${list(hints)}; others are sent as typed.`,
    clearable ? 'The text `null` clears it.' : '',
    secret ? 'Secret: it may be given as `@env:NAME` or `@file:PATH`.' : '',
    positional ? 'May be typed without its name.' : '',
    others.length === 0
      ? ''
      : `A terminal and the library need it only where ${others.map(code).join(' or ')} is not given.`,
  ];
  return sentences(
    parts.filter((text) => text !== ''),
    extension,
  );
}

function titleOf({ name }: Resource): string {
  return name.split('/').map(heading).join(': ');
}

function fileOf({ name }: Resource): string {
  return `${name.replace(/\//g, '-')}.md`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((text) => text.replace(/\|/g, '\\|')).join(' | ')} |`;
  return [line(columns), `|${columns.map(() => ' --- |').join('')}`, ...rows.map(line)].join('\n');
}

// A code span with backticks needs a longer fence than its longest run of backticks.
function code(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

function plain(text: string): string {
  return text.replace(/[<>]/g, (character) => (character === '<' ? '&lt;' : '&gt;')).replace(/\n/g, ' ');
}
