/** Answers `tools/call`. */

import { changesNothing } from '../../client/allow.ts';
import { toAisecError, UsageError } from '../../core/errors.ts';
import { catalogueEntry } from '../../manifest/command-catalogue.ts';
import { outputsOf } from '../../manifest/schema.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import type { Command } from '../../runtime/engine/command.ts';
import type { Agent } from './agent.ts';
import { plain } from './content.ts';
import { type Confirmation, unconfirmed } from './deletion.ts';
import { decideForAgent } from './guard/decide.ts';
import { allWithin, reachable } from './reach.ts';
import { type CallContext, type CallRequest, errorResult, runForAgent, type ToolResult } from './run-command.ts';
import { search } from './search.ts';
import { argumentsIn, checkMembers, flagArgument, type ToolArguments, textArgument } from './tools.ts';

/** Calls a tool. Every failure is returned as a result. */
export async function callTool(
  agent: Agent,
  { name, args }: { readonly name: string; readonly args: ToolArguments },
  confirmation: Confirmation,
  context: CallContext,
): Promise<ToolResult> {
  const asked = { confirmation, context };
  try {
    switch (name) {
      case 'aisec_search':
        checkMembers(agent, name, args);
        return await found(agent, textArgument(args, 'words'));
      case 'aisec_describe':
        checkMembers(agent, name, args);
        return described(await reachable(agent, textArgument(args, 'command')));
      case 'aisec_read':
      case 'aisec_change':
        return await throughDoor(agent, name, args, asked);
      case 'aisec_guard':
        if (!isOffered(agent, name)) throw unknownTool(agent, name);
        checkMembers(agent, name, args);
        return await decideForAgent(agent, args, context.signal);
      default:
        return await named(agent, name, args, asked);
    }
  } catch (thrown) {
    return errorResult(toAisecError(thrown));
  }
}

/** Runs the command passed to `aisec_read` or `aisec_change`. */
async function throughDoor(agent: Agent, tool: Door, args: ToolArguments, asked: Asked): Promise<ToolResult> {
  const command = await reachable(agent, textArgument(args, 'command'));
  checkDoor(tool, command);
  checkMembers(agent, tool, args);
  const [isConfirmed, dryRun] = [flagArgument(args, 'confirm'), flagArgument(args, 'dry_run')];
  return run(agent, { command, args: argumentsIn(args['arguments']), dryRun }, isConfirmed, asked);
}

type Door = 'aisec_read' | 'aisec_change';

/** Checks that a command goes through the right tool: people approve reads and changes separately. */
function checkDoor(tool: Door, command: Command): void {
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

/** Runs a command that has its own tool. */
async function named(agent: Agent, name: string, args: ToolArguments, asked: Asked): Promise<ToolResult> {
  if (!isOffered(agent, name)) throw unknownTool(agent, name);
  const command = await reachable(agent, name);
  // Only deletions have `confirm`; other commands refuse it as an unknown argument.
  if (command.effect !== 'delete') return run(agent, { command, args, dryRun: false }, false, asked);
  const { confirm, ...own } = args;
  return run(agent, { command, args: own, dryRun: false }, flagArgument({ confirm }, 'confirm'), asked);
}

function isOffered({ tools }: Agent, name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

function unknownTool({ tools }: Agent, name: string): UsageError {
  const names = tools.map((tool) => tool.name);
  const hints = [didYouMean(name, names), 'Run a command with aisec_read or aisec_change.'];
  const hint = hints.filter((part) => part !== undefined).join(' ');
  return new UsageError(`There is no tool "${plain(name).slice(0, 60)}".`, { hint });
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
  return question ?? runForAgent(agent, request, context);
}

async function found(agent: Agent, words: string): Promise<ToolResult> {
  const commands = search(words, await allWithin(agent)).map(({ name, summary, effect, arguments: args }) => ({
    name,
    summary,
    effect,
    required: args.filter(({ required }) => required).map((argument) => argument.name),
  }));
  const lines = commands.map(({ name, summary, required }) => `${name} (${required.join(', ')}): ${summary}`);
  const text = lines.length === 0 ? 'No command matches. Try other words.' : lines.join('\n');
  return { content: [{ type: 'text', text }], structuredContent: { commands } };
}

function described(command: Command): ToolResult {
  const { name, summary, effect, rules, example, job, inputSchema } = catalogueEntry(command);
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
