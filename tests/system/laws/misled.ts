/** Finds requests to addresses that a command must not use; harmless lines teach which ones it may use. */
import fc from 'fast-check';
import type { Argument } from '../../../lib/arguments/builders.ts';
import { runs } from '../../support/runs.ts';
import { queryNames, strays, type Template, type Traffic, templatesOf, trafficOf } from './paths.ts';
import { inRoom } from './rooms.ts';
import { fitting, type Given, lineOf, type Subject, subjects } from './subjects.ts';
import { wellFormed } from './values.ts';

interface Known {
  readonly templates: readonly Template[];
  readonly names: ReadonlySet<string>;
}

async function learn(subject: Subject, lines: readonly Given[]): Promise<Known> {
  const templates: Template[] = [];
  const names = new Set(Object.keys(subject.command.args));
  for (const given of lines) {
    const line = lineOf(subject.name, given);
    await inRoom(async (room) => {
      await room.run(line).catch(() => undefined);
      const traffic = trafficOf(subject, line, room, {});
      templates.push(...templatesOf(traffic));
      for (const name of queryNames(traffic)) names.add(name);
    });
  }
  return { templates, names };
}

/** Each is learned when it is first needed: few requests need more than the line that every command has. */
function learning(lines: (subject: Subject) => readonly Given[]): (subject: Subject) => Promise<Known> {
  const known = new Map<Subject, Promise<Known>>();
  return (subject) => {
    const learned = known.get(subject) ?? learn(subject, lines(subject));
    known.set(subject, learned);
    return learned;
  };
}

/** The line that succeeds. */
const usual = learning(({ given }) => [given]);

/** Lines that do one thing more, or another: an argument besides, or another choice. */
const unusual = learning((subject) => [
  subject.given,
  ...Object.entries(subject.command.args).flatMap(([name, argument]) =>
    samplesOf(argument).map((value) => ({ ...fitting(subject, name), [name]: value })),
  ),
]);

function samplesOf(argument: Argument): string[] {
  const { kind, choices } = argument;
  if (kind === 'flag') return ['true', 'false'];
  if (choices !== undefined) return [...choices];
  return fc.sample(wellFormed(argument), { seed: runs(1, 0).seed, numRuns: 4 });
}

/** Collects the templates of requests that any command may send. */
async function readAnywhere(): Promise<Template[]> {
  const reads: Template[] = [];
  for (const subject of subjects) {
    const { templates } = await usual(subject);
    reads.push(...templates.filter(({ method }) => method === 'GET'));
  }
  return reads;
}

/**
 * Reports requests to addresses of other commands, and parameters that the command does not have.
 * @param strangely whether the responses were invalid: then reads of any command are allowed
 */
export async function misled(subject: Subject, traffic: Traffic, strangely: boolean): Promise<string[]> {
  if (traffic.requests.length === 0) return [];
  const complaintsBy = ({ templates, names }: Known) => [
    ...strays(traffic, templates).map((request) => `a request to a wrong path: ${request}`),
    ...queryNames(traffic)
      .filter((name) => !names.has(name))
      .map((name) => `an unknown parameter: ${name}`),
  ];
  if (complaintsBy(await usual(subject)).length === 0) return [];
  const { templates, names } = await unusual(subject);
  return complaintsBy({ names, templates: [...templates, ...(strangely ? await readAnywhere() : [])] });
}
