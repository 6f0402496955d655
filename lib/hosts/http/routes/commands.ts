/** `/v1/commands`: the catalogue, and its commands. */

import { changesNothing } from '../../../client/allow.ts';
import { didYouMean } from '../../../runtime/arguments/suggest.ts';
import { findCommand, unknownCommand } from '../../../runtime/engine/command.ts';
import { requestOwner } from '../access/rights.ts';
import { HttpError } from '../problems.ts';
import { answer, prefersRun, waitsForJob } from '../responses/answer.ts';
import { ACCEPTED, DRY_RUN, IDEMPOTENCY_KEY, jsonResponse, listResponse, PREFER, refTo, route } from '../route.ts';

const name = {
  type: 'string',
  description: 'Name of the command.',
  examples: ['aisec-runtime-scan'],
} as const;

const listCommands = route('GET', '/v1/commands', 'listCommands', {
  summary: 'List the commands.',
  description: 'Returns the commands that the caller may run, with their schemas.',
  query: {
    search: { type: 'string', default: '', description: 'Words that the name and the summary must contain.' },
  },
  responses: { 200: listResponse('commands', 'Command') },
  handle: ({ tenants, catalogue }, request) => {
    const words = request.query.search.toLowerCase().split(/\s+/);
    const fits = (text: string) => words.every((word) => text.includes(word));
    const { commands } = tenants.clientFor(requestOwner(request, catalogue));
    return { commands: commands.filter((command) => fits(`${command.name} ${command.summary}`.toLowerCase())) };
  },
});

const getCommand = route('GET', '/v1/commands/{name}', 'getCommand', {
  summary: 'Get a command.',
  description: 'Returns the arguments and outputs of a command.',
  params: { name },
  responses: { 200: jsonResponse('The command.', refTo('Command')) },
  handle: ({ catalogue }, { params }) => {
    const found = catalogue.find((entry) => entry.name === params.name);
    if (found === undefined) throw notFoundCommand(params.name, catalogue);
    return found;
  },
});

/** Runs any command. The OpenAPI documents list one operation per command instead, with its argument schemas. */
export const RUN_COMMAND = route('POST', '/v1/commands/{name}', 'runCommand', {
  summary: 'Run a command.',
  description: 'Runs a command with the arguments in the body.',
  params: { name },
  query: { dry_run: DRY_RUN },
  headers: { 'Idempotency-Key': IDEMPOTENCY_KEY, Prefer: PREFER },
  responses: { 202: ACCEPTED },
  problems: [403, 404, 409, 502, 504],
  handle: async (service, request, reply) => {
    const { registry, catalogue } = service;
    const command = await findCommand(registry, request.params.name);
    if (command === undefined) throw notFoundCommand(request.params.name, catalogue);
    const args: Readonly<Record<string, unknown>> = request.body;
    const dryRun = request.query.dry_run;
    return answer(service, request, reply, {
      owner: requestOwner(request, catalogue),
      work: { kind: 'command', command: command.name, args, dryRun },
      command,
      later: prefersRun(request) || (!dryRun && waitsForJob(command, args['wait'])),
      changes: !dryRun && !changesNothing(command),
    });
  },
});

export const COMMAND_ROUTES = [listCommands, getCommand];

function notFoundCommand(unknown: string, catalogue: readonly { readonly name: string }[]): HttpError {
  const near = didYouMean(
    unknown,
    catalogue.map((entry) => entry.name),
  );
  const { message, hint } = unknownCommand(unknown, near, 'Search the list of commands.');
  return new HttpError(404, 'not-found', message, { hint });
}
