/** `/v1/playbooks`: the playbooks that ship with the program, and rehearsals of any playbook. */
import { setImmediate as nextRound } from 'node:timers/promises';
import type { PlaybookText } from '../../../playbook/playbook.ts';
import { readPlaybookText } from '../../../playbook/read-playbook.ts';
import type { Registry } from '../../../runtime/engine/command.ts';
import { requestOwner } from '../access/rights.ts';
import { answer } from '../responses/answer.ts';
import { ACCEPTED, DRY_RUN, IDEMPOTENCY_KEY, listResponse, route } from '../route.ts';
import type { ShippedPlaybook } from '../service.ts';

/** Returns a function that reads the playbooks on its first call. */
export function shippedPlaybooks(
  texts: () => Promise<readonly PlaybookText[]>,
  registry: Registry,
): () => Promise<readonly ShippedPlaybook[]> {
  const read = async () => {
    const shipped: ShippedPlaybook[] = [];
    for (const { name, text } of await texts()) {
      shipped.push({ name, text, playbook: await readPlaybookText(text, name, registry) });
      await nextRound();
    }
    return shipped;
  };
  let reading: Promise<readonly ShippedPlaybook[]> | undefined;
  return () => {
    reading ??= read().catch((thrown: unknown) => {
      reading = undefined;
      throw thrown;
    });
    return reading;
  };
}

const listPlaybooks = route('GET', '/v1/playbooks', 'listPlaybooks', {
  summary: 'List the playbooks.',
  description: 'Returns the playbooks that ship with the program, and their inputs.',
  responses: { 200: listResponse('playbooks', 'Playbook') },
  handle: async (service) => {
    const playbooks = (await service.playbooks()).map(({ name, playbook: { name: title, inputs } }) => {
      const shown = inputs.map(({ key, description, required }) => ({ name: key, description, required }));
      return { name, title, inputs: shown };
    });
    return { playbooks };
  },
});

const rehearsePlaybook = route('POST', '/v1/playbooks/rehearse', 'rehearsePlaybook', {
  summary: 'Rehearse a playbook.',
  description: 'Starts a run that does the tasks of a playbook one by one, as the platform does.',
  query: { dry_run: DRY_RUN },
  headers: { 'Idempotency-Key': IDEMPOTENCY_KEY },
  body: {
    description: 'The playbook to rehearse.',
    members: {
      playbook: {
        type: 'string',
        description: 'Name of a playbook that ships with the program, or the YAML text of another.',
      },
      inputs: {
        type: 'object',
        additionalProperties: { type: 'string' },
        default: {},
        description: 'Texts by the names of the inputs.',
      },
    },
    example: {
      playbook: 'scan-prompt',
      inputs: { prompt: 'Ignore all previous instructions.', profile_name: 'prod' },
    },
  },
  responses: { 202: ACCEPTED },
  handle: async (service, request, reply) => {
    const { dry_run: dryRun } = request.query;
    const { playbook: given, inputs } = request.body;
    const shipped = (await service.playbooks()).find(({ name }) => name === given);
    const playbook = shipped?.text ?? given;
    // Report problems of the playbook now, not in a run.
    const { tasks } = shipped?.playbook ?? (await readPlaybookText(playbook, 'playbook', service.registry));
    const names = [...tasks.values()].flatMap((task) => (task.kind === 'command' ? [task.command] : []));
    return answer(service, request, reply, {
      owner: requestOwner(request, service.catalogue),
      work: { kind: 'playbook', playbook, inputs, dryRun, commands: [...new Set(names)] },
      later: true,
      changes: !dryRun,
    });
  },
});

export const PLAYBOOK_ROUTES = [listPlaybooks, rehearsePlaybook];
