/** Answers `tools/call`. */
import type { Command } from '../../command.ts';
import { toAisecError, UsageError } from '../../errors.ts';
import { allows, changesNothing } from '../../library/allow.ts';
import { entryOf } from '../../manifest/command-catalogue.ts';
import { outputsOf } from '../../manifest/schema.ts';
import type { Agent } from './agent.ts';
import { argumentsOf, type CallContext, errorResult, reachable, runCommand, type ToolResult } from './run-command.ts';
import { search } from './search.ts';

/** How a person can be asked. */
export interface Confirmation {
  /** The answer that came with this request. */
  readonly answer: 'accept' | 'decline' | undefined;
  /** Makes the question; undefined where the client cannot ask. */
  readonly question: ((message: string) => ToolResult) | undefined;
}

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
        return await found(agent, String(args['words'] ?? ''));
      case 'aisec_describe':
        return described(await reachable(agent, String(args['command'] ?? '')));
      case 'aisec_read':
      case 'aisec_change': {
        const command = await reachable(agent, String(args['command'] ?? ''));
        checkDoor(name, command);
        const { confirm, dry_run: dryRun } = args;
        return await run(agent, command, argumentsOf(args['arguments']), { confirm, dryRun, confirmation, context });
      }
      default:
        return await named(agent, name, args, { confirmation, context });
    }
  } catch (thrown) {
    return errorResult(toAisecError(thrown));
  }
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
    throw new UsageError(`There is no tool "${name.slice(0, 60)}".`, {
      hint: 'Run a command with aisec_read or aisec_change.',
    });
  }
  const command = await reachable(agent, name);
  // No other command has such an argument: its check says so.
  const given = command.effect === 'delete' || confirm === undefined ? args : { ...args, confirm };
  return run(agent, command, given, { ...asked, confirm, dryRun: false });
}

async function run(
  agent: Agent,
  command: Command,
  args: Readonly<Record<string, unknown>>,
  { confirm, dryRun, confirmation, context }: Asked & { readonly confirm: unknown; readonly dryRun: unknown },
): Promise<ToolResult> {
  const request = { command, args, dryRun: dryRun === true || dryRun === 'true' };
  if (command.effect !== 'delete' || request.dryRun) return runCommand(agent, request, context);
  const { answer, question } = confirmation;
  if (answer === 'decline') {
    throw new UsageError('The person declined: nothing was deleted.', { command: command.name });
  }
  // Where a person can be asked, the agent cannot answer in the person's place.
  if (question !== undefined && answer === undefined) return question(`${command.summary} ${JSON.stringify(args)}`);
  if (question === undefined && confirm !== true && confirm !== 'true') {
    throw new UsageError(`${command.name} deletes something, and was not confirmed: nothing was deleted.`, {
      command: command.name,
      hint: 'Ask the person, and call again with confirm: true.',
    });
  }
  return runCommand(agent, request, context);
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
