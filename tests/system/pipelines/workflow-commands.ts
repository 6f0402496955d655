/** Reads a log as the runner of GitHub Actions does. */

export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** `::name key=value,key=value::message` at the start of a line. */
const MODERN = /^\s*::([^\s:]+)(?: ([^:]*))?::(.*)$/;
/** `##[name key=value;key=value]message` anywhere in a line: the runner still obeys this form. */
const OLD = /##\[([^\s\]]+)(?: ([^\]]*))?\](.*)$/;

/** Returns the commands that the runner obeys. */
export function workflowCommands(log: string): WorkflowCommand[] {
  const commands: WorkflowCommand[] = [];
  let stoppedBy: string | undefined;
  for (const line of log.split('\n')) {
    const [, name, list = '', message = ''] = MODERN.exec(line) ?? OLD.exec(line) ?? [];
    if (name === undefined) continue;
    if (stoppedBy !== undefined) {
      if (name === stoppedBy) stoppedBy = undefined;
    } else if (name === 'stop-commands') stoppedBy = message;
    else commands.push({ name, properties: propertiesIn(list), message: unescaped(message) });
  }
  return commands;
}

function propertiesIn(list: string): Record<string, string> {
  const pairs = list.split(/[,;]/).filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), unescaped(pair.slice(pair.indexOf('=') + 1))]),
  );
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = { '0A': '\n', '0D': '\r', '3A': ':', '2C': ',', '25': '%' };
  return text.replace(/%(0A|0D|3A|2C|25)/g, (_, code: string) => characters[code] ?? '');
}
