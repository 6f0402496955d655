/** `/v1/sessions/{id}/complete`: what can stand in a line that a person is typing. */
import { freeArguments } from '../../../client/completion/free-arguments.ts';
import { recordNames } from '../../../client/completion/record-names.ts';
import { fullName } from '../../../client/names/command-name.ts';
import { withDashes } from '../../../client/names/spaced-name.ts';
import { describe } from '../../../manifest/describe.ts';
import { ownerKey, type RunOwner } from '../../../runs/port.ts';
import type { Lookup } from '../../../runtime/arguments/builders.ts';
import { readArguments } from '../../../runtime/arguments/read.ts';
import { type Command, findCommand } from '../../../runtime/engine/command.ts';
import { deletionOf, tenantOf } from '../../../runtime/engine/deletion.ts';
import { requestOwner } from '../access/rights.ts';
import { sealOf } from '../completion/deletion-seal.ts';
import { type LineSources, understood, withRecordIds } from '../completion/line-meaning.ts';
import { type OfferSources, offersAt } from '../completion/offers.ts';
import { listFor } from '../completion/own-values.ts';
import { typedArguments, typedName } from '../completion/typed-line.ts';
import { idOf, jsonResponse, refTo, route } from '../route.ts';
import type { Service } from '../service.ts';

/** Longer lines are for programs. */
const MAX_CHARACTERS = 100_000;

const EXAMPLE = {
  offers: [{ text: 'block', description: 'Only scans with this verdict.' }],
  from: 33,
  command: 'aisec-runtime-topics-list',
  arguments: [{ name: 'limit', value: '2' }],
  missing: [],
  question: null,
  seal: null,
};

type Context = Readonly<Record<string, unknown>>;

const NO_QUESTION = { question: null, seal: null };

const completeLine = route('POST', '/v1/sessions/{id}/complete', 'completeLine', {
  summary: 'Complete a line.',
  description:
    'Returns what can stand at the cursor: commands that the caller may run, their arguments, allowed values, ids of the tenant, and paths of the context. Runs nothing but list commands, and waits for them only briefly: the same request may have more offers a moment later.',
  params: idOf('session', '4d8e6a20c7b14f59a3e1d0c2'),
  body: {
    description: 'The line as typed so far.',
    members: {
      line: { type: 'string', maxLength: MAX_CHARACTERS, description: 'The line.' },
      cursor: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_CHARACTERS,
        description: 'Position of the cursor in the line, in UTF-16 code units.',
      },
      confirm: {
        type: 'boolean',
        default: false,
        description:
          'Returns the question and the seal of a deletion, and lists the records that it names. Ask when the line is to run: otherwise both are null.',
      },
    },
    example: { line: '!aisec-runtime-topics-list lim', cursor: 30 },
  },
  responses: { 200: jsonResponse('The offers, and how the line is understood.', refTo('LineCompletion'), EXAMPLE) },
  handle: async (service, request) => {
    const owner = requestOwner(request, service.catalogue);
    const session = service.sessions.find(ownerKey(owner), request.params.id);
    session.checkRights(owner.limits);
    const { cursor, confirm } = request.body;
    const line = withDashes(request.body.line, service.registry);
    const { commands } = service.tenants.clientFor(owner);
    const name = fullName(typedName(line), service.registry) ?? '';
    const isAllowed = commands.some((each) => each.name === name);
    const command = isAllowed ? await findCommand(service.registry, name) : undefined;
    const info = command === undefined ? undefined : describe(command);
    const { context } = session.room;
    const typed = info === undefined ? [] : typedArguments(line, info);
    const present = new Set(typed.filter(({ value }) => value !== '').map((each) => each.name));
    return {
      ...(await offersWithin(service, owner, (known) =>
        offersAt(request.body.line.slice(0, cursor), { commands, command: info, context, known }),
      )),
      command: info?.name ?? null,
      arguments: typed,
      missing: freeArguments(info?.arguments ?? [], present).missing.map((each) => each.name),
      ...(confirm && command?.effect === 'delete'
        ? await questionOf(service, owner, { line, command, context })
        : NO_QUESTION),
    };
  },
});

export const COMPLETION_ROUTES = [completeLine];

/** Reads the offers, and waits briefly for values of the tenant. */
async function offersWithin(
  { ownValues, tenants }: Service,
  owner: RunOwner,
  read: (known: OfferSources['known']) => ReturnType<typeof offersAt>,
) {
  const mayList = new Set(tenants.clientFor(owner).commands.map(({ name }) => name));
  const values = ownValues.of(owner);
  const asked = new Set<string>();
  const known: OfferSources['known'] = (lookup) => {
    if (!mayList.has(lookup.command)) return [];
    asked.add(lookup.command);
    return values.known(lookup);
  };
  const first = read(known);
  if (asked.size === 0) return first;
  await values.settled();
  return read(known);
}

/** Returns the question that the terminal asks, and its seal. @returns nulls for arguments that the command refuses */
async function questionOf(
  service: Service,
  owner: RunOwner,
  { line, command, context }: { readonly line: string; readonly command: Command; readonly context: Context },
) {
  try {
    const { registry, clock } = service;
    const list = listsOnce(service, owner);
    const typedLine = await understood(line, registry, command);
    const invocation = await withRecordIds(typedLine, { registry, context, list, now: clock.now() });
    const { typed } = readArguments(command, invocation, { context });
    const facts = await service.tenantFacts(owner.tenant);
    // Without its list, only the context may have its name.
    const known = (lookup: Lookup) =>
      list(lookup, []).then(
        ({ values }) => values,
        () => [],
      );
    const names = await recordNames(command, typed, { registry, context, known });
    const tenant = tenantOf(facts.simulated, facts.tenant ?? undefined);
    return { question: `${deletionOf(command, typed, names)} on ${tenant}?`, seal: sealOf(command, typed) };
  } catch {
    // The line itself reports the problem.
    return NO_QUESTION;
  }
}

/** Lists each kind of record again, and only once: names that are kept for offers may have changed. */
function listsOnce({ halting, tenants }: Service, owner: RunOwner): LineSources['list'] {
  const lists = new Map<string, ReturnType<LineSources['list']>>();
  return (lookup, within) => {
    const listed = lists.get(lookup.command) ?? listFor(tenants.clientFor(owner), lookup, within, { signal: halting });
    lists.set(lookup.command, listed);
    return listed;
  };
}
