/** Answers `tools/call`. */
import { didYouMean } from '../../arguments/suggest.ts';
import { allows, changesNothing } from '../../client/allow.ts';
import type { Command } from '../../engine/command.ts';
import { toAisecError, UsageError } from '../../engine/errors.ts';
import { objectOf } from '../../engine/json.ts';
import { entryOf } from '../../manifest/command-catalogue.ts';
import { outputsOf } from '../../manifest/schema.ts';
import type { Agent } from './agent.ts';
import { plain } from './content.ts';
import { type Confirmation, unconfirmed } from './deletion.ts';
import {
  argumentsOf,
  type CallContext,
  type CallRequest,
  errorResult,
  reachable,
  runCommand,
  type ToolResult,
} from './run-command.ts';
import { search } from './search/search.ts';

export interface ToolRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Calls a tool. Every failure is a result. */
export async function callTool(
  agent: Agent,
  { name, args }: ToolRequest,
  confirmation: Confirmation,
  context: CallContext,
): Promise<ToolResult> {
  try {
    switch (name) {
      case 'aisec_search':
        checkMembers(agent, name, args);
        return await found(agent, textOf(args, 'words'));
      case 'aisec_describe':
        checkMembers(agent, name, args);
        return described(await reachable(agent, textOf(args, 'command')));
      case 'aisec_read':
      case 'aisec_change': {
        const command = await reachable(agent, textOf(args, 'command'));
        checkDoor(name, command);
        checkMembers(agent, name, args);
        const [isConfirmed, dryRun] = [flagOf(args, 'confirm'), flagOf(args, 'dry_run')];
        const request = { command, args: argumentsOf(args['arguments']), dryRun };
        return await run(agent, request, isConfirmed, { confirmation, context });
      }
      default:
        return await named(agent, name, args, { confirmation, context });
    }
  } catch (thrown) {
    return errorResult(toAisecError(thrown));
  }
}

/**
 * Checks that a tool knows what it is called with: a misspelt dry_run that is passed over would change something.
 * Commands check their own arguments.
 */
function checkMembers({ tools }: Agent, name: string, args: ToolRequest['args']): void {
  const known = Object.keys(objectOf(tools.find((tool) => tool.name === name)?.inputSchema['properties']));
  const unknown = Object.keys(args).find((member) => !known.includes(member));
  if (unknown === undefined) return;
  throw new UsageError(`${name} has no argument "${plain(unknown).slice(0, 60)}".`, {
    hint: `It has ${known.join(', ')}. Those of the command go into arguments.`,
  });
}

function textOf(args: ToolRequest['args'], name: string): string {
  const value = args[name] ?? '';
  if (typeof value === 'string') return value;
  throw new UsageError(`${name} is not a text.`, { argument: name });
}

/** Reads a flag; one that is neither true nor false is not guessed. */
function flagOf(args: ToolRequest['args'], name: string): boolean {
  const value = args[name] ?? false;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new UsageError(`${name} is neither true nor false.`, { argument: name });
}

/** Checks that a command goes through the right tool: people approve the two of them apart. */
function checkDoor(tool: 'aisec_read' | 'aisec_change', command: Command): void {
  const reads = changesNothing(command);
  if (reads === (tool === 'aisec_read')) return;
  throw new UsageError(
    `${command.name} ${reads ? 'changes nothing' : 'changes something in the tenant'}, so ${tool} does not run it.`,
    { command: command.name, hint: `Call it with ${reads ? 'aisec_read' : 'aisec_change'}.` },
  );
}

interface Asked {
  readonly confirmation: Confirmation;
  readonly context: CallContext;
}

async function named(
  agent: Agent,
  name: string,
  { confirm, ...args }: Readonly<Record<string, unknown>>,
  asked: Asked,
): Promise<ToolResult> {
  if (!agent.tools.some((tool) => tool.name === name)) {
    throw new UsageError(`There is no tool "${plain(name).slice(0, 60)}".`, {
      hint: [
        didYouMean(
          name,
          agent.tools.map((tool) => tool.name),
        ),
        'Run a command with aisec_read or aisec_change.',
      ]
        .filter((part) => part !== undefined)
        .join(' '),
    });
  }
  const command = await reachable(agent, name);
  if (command.effect === 'delete') {
    const request = { command, args, dryRun: false };
    return run(agent, request, flagOf({ confirm }, 'confirm'), asked);
  }
  // No other command has such an argument: its check says so.
  const given = confirm === undefined ? args : { ...args, confirm };
  return run(agent, { command, args: given, dryRun: false }, false, asked);
}

async function run(
  agent: Agent,
  request: CallRequest,
  isConfirmed: boolean,
  { confirmation, context }: Asked,
): Promise<ToolResult> {
  const { command, args, dryRun } = request;
  const deletes = command.effect === 'delete' && !dryRun;
  const question = deletes ? unconfirmed(command, args, isConfirmed, confirmation) : undefined;
  return question ?? runCommand(agent, request, context);
}

async function found(agent: Agent, words: string): Promise<ToolResult> {
  const within = (await agent.catalogue()).filter((info) => allows(agent.selection.allow, info));
  const commands = search(words, within).map(({ name, summary, effect, arguments: args }) => ({
    name,
    summary,
    effect,
    required: args.filter(({ required }) => required).map((argument) => argument.name),
  }));
  const lines = commands.map(({ name, summary, required }) => `${name} (${required.join(', ')}): ${summary}`);
  const text = lines.length === 0 ? 'No command fits. Try other words.' : lines.join('\n');
  return { content: [{ type: 'text', text }], structuredContent: { commands } };
}

function described(command: Command): ToolResult {
  const { name, summary, effect, rules, example, job, inputSchema } = entryOf(command);
  const description = {
    name,
    summary,
    effect,
    tool: changesNothing(command) ? 'aisec_read' : 'aisec_change',
    arguments: inputSchema,
    rules,
    example: `!${name} ${example}`,
    ...(job ? { job: 'Pass wait: true to wait for its end, or ask for its state by the id that it returns.' } : {}),
    outputs: outputsOf(command).map(({ record }) => record.path),
  };
  return {
    content: [{ type: 'text', text: JSON.stringify(description, undefined, 1) }],
    structuredContent: description,
  };
}
