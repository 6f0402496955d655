/** What is known of one command, for a reader. */
import type { ArgumentInfo, CommandInfo } from '../../manifest/catalogue.ts';
import { OPTIONAL_MARK } from '../../manifest/sentences.ts';
import { definitions, type Page, wrapped } from './wrap.ts';

const EFFECTS: Readonly<Record<CommandInfo['effect'], string>> = {
  read: 'Changes nothing.',
  create: 'Creates something at the service.',
  update: 'Changes something at the service.',
  replace: 'Replaces something at the service.',
  delete: 'Deletes something at the service.',
  run: 'Starts work at the service.',
};
const OUTSIDE = 'Reaches a system outside of the service.';

/** The help text of a command: arguments, rules, outputs, example. */
export function commandHelp(command: CommandInfo, page: Page): string {
  const { style, width, measure } = page;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', style.bold(title), ...lines];
  const described = (pairs: readonly (readonly [string, string])[]) => definitions(pairs, page, style.bold);
  const indented = (text: string) => wrapped(text, width - 2, measure).map((line) => `  ${line}`);
  return [
    style.bold(`!${command.name}`),
    ...indented([command.summary, EFFECTS[command.effect], ...(command.outside ? [OUTSIDE] : [])].join(' ')),
    ...section('Arguments', described(command.arguments.map((argument) => [argument.name, argumentText(argument)]))),
    ...section('Rules', command.rules.flatMap(indented)),
    ...section(
      `Outputs: ${command.context}`,
      described(
        command.outputs.map(({ path, type, description }) => [
          fieldOf(path, command.context),
          `(${type}) ${description}`,
        ]),
      ),
    ),
    ...section('Example', indented(`!${command.name} ${command.example}`.trimEnd())),
  ].join('\n');
}

function argumentText(argument: ArgumentInfo): string {
  const standard = argument.default === undefined ? undefined : `default ${argument.default}`;
  const marks = [
    argument.required ? 'required' : standard,
    argument.positional ? 'may be typed without its name' : undefined,
    argument.secret ? 'secret' : undefined,
    argument.clearable ? 'null clears it' : undefined,
    argument.extension ? OPTIONAL_MARK : undefined,
  ].filter((mark) => mark !== undefined);
  const choices = argument.choices === undefined ? '' : `\nOne of: ${argument.choices.join(', ')}.`;
  const hints = argument.hints === undefined ? '' : `\nSuch as: ${argument.hints.join(', ')}.`;
  return `${marks.length === 0 ? '' : `(${marks.join(', ')}) `}${argument.description}${choices}${hints}`;
}

function fieldOf(path: string, context: string): string {
  return path.startsWith(`${context}.`) ? path.slice(context.length + 1) : path;
}
