/** `/v1/playbooks`: the playbooks that ship with the program, and rehearsals of any. */
import type { FastifyInstance } from 'fastify';
import { isObject } from '../../../engine/json.ts';
import { readPlaybookText } from '../../../playbook/read-playbook.ts';
import { answer } from '../answer.ts';
import { checkMembers, flagIn, invalid, objectBody, textIn } from '../body.ts';
import { callerOf } from '../guard.ts';
import { ownerOf } from '../owner.ts';
import type { Service } from '../service.ts';

/** Adds the routes. */
export function playbookRoutes(app: FastifyInstance, service: Service): void {
  const { catalogue, registry } = service;

  app.get('/v1/playbooks', async () => {
    const playbooks = [];
    for (const { name, text } of await service.playbooks()) {
      const { name: title, inputs } = await readPlaybookText(text, name, registry);
      const shown = inputs.map(({ key, description, required }) => ({ name: key, description, required }));
      playbooks.push({ name, title, inputs: shown });
    }
    return { playbooks };
  });

  app.post<{ Querystring: Readonly<Record<string, unknown>> }>('/v1/playbooks/rehearse', async (request, reply) => {
    checkMembers(request.query, ['dry_run'], 'query parameter');
    const body = objectBody(request.body);
    checkMembers(body, ['playbook', 'inputs'], 'member');
    const given = textIn(body, 'playbook');
    const shipped = (await service.playbooks()).find(({ name }) => name === given);
    const playbook = shipped?.text ?? given;
    // Its problems are those of this request, not of a run.
    const { tasks } = await readPlaybookText(playbook, 'playbook', registry);
    const names = [...tasks.values()].flatMap((task) => (task.kind === 'command' ? [task.command] : []));
    const work = {
      kind: 'playbook',
      playbook,
      inputs: inputsIn(body),
      dryRun: flagIn(request.query, 'dry_run'),
      commands: [...new Set(names)],
    } as const;
    await answer(service, request, reply, {
      owner: ownerOf(callerOf(request), catalogue),
      work,
      later: true,
      changes: !work.dryRun,
    });
    return reply;
  });
}

function inputsIn({ inputs = {} }: Readonly<Record<string, unknown>>): Record<string, string> {
  if (!isObject(inputs)) throw invalid('inputs', 'inputs has to be an object of texts.');
  const wrong = Object.entries(inputs).find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) throw invalid('inputs', `The input ${wrong[0].slice(0, 60)} has to be a text.`);
  return inputs as Record<string, string>;
}
