/** For every command: the service receives a change once, whatever fault occurs. */
import type { Service, ServiceRequest, ServiceResponse } from '../../../fixtures/service/types.ts';
import type { AisecError } from '../../../lib/core/errors.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import { commandOf } from '../../support/declared.ts';
import { failing } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_FILES, LINE_ROWS, lineService } from '../../support/lines.ts';
import { someOf } from '../../support/runs.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../scenarios/claims.ts';

interface Row {
  readonly name: string;
  readonly line: string;
  readonly command: Command;
}

const rows: Row[] = LINE_ROWS.map((row) => ({ ...row, command: commandOf(row.name) }));

/** Commands whose change must not be made a second time. */
const CHANGING = rows.filter(({ command: { effect, repeatable } }) => effect !== 'read' && repeatable !== true);
/** Commands that send the change themselves; a job command decides for each of its requests. */
const ONCE = CHANGING.filter(({ command: { call, run } }) => call !== undefined || run !== undefined);

type Request = Pick<ServiceRequest, 'method' | 'url' | 'body'>;

/** Addresses that are read with POST. */
const READ_BY_POST = /\/(metering\/quota|target\/validate-auth)$/;
const isToken = ({ url }: Request) => url.endsWith('/oauth2/access_token');
const isChange = (request: Request) => request.method !== 'GET' && !isToken(request) && !READ_BY_POST.test(request.url);

type Spoil = (answer: ServiceResponse, request: ServiceRequest) => ServiceResponse;

/** A war room on a service whose answers are corrupted, and the changes that it received. */
function spoiledRoom(spoil: Spoil): { room: WarRoom; changes: string[] } {
  const changes: string[] = [];
  const service = lineService();
  const spoiled: Service = {
    ...service,
    handle: (request, clock) => {
      if (isChange(request)) changes.push(`${request.method} ${request.url} ${request.body}`);
      return spoil(service.handle(request, clock), request);
    },
  };
  const room = warRoom({}, {}, spoiled);
  Object.assign(room.files, LINE_FILES);
  return { room, changes };
}

const AGAIN = 'retry-count=3 retry-interval=1';
const PAGE = '<!doctype html><title>Sign in</title>';

const spoils: { what: string; spoil: (answer: ServiceResponse) => ServiceResponse; exitCode: number }[] = [
  ...[500, 503].map((status) => ({
    what: `answers ${status}`,
    spoil: (answer: ServiceResponse) => ({ ...answer, status, body: '' }),
    exitCode: 8,
  })),
  { what: 'answers 503 with a page', spoil: (answer) => ({ ...answer, status: 503, body: PAGE }), exitCode: 8 },
  { what: 'answers with a page', spoil: (answer) => ({ ...answer, status: 200, body: PAGE }), exitCode: 8 },
  { what: 'answers half of a JSON text', spoil: (answer) => ({ ...answer, status: 200, body: '{"a":' }), exitCode: 8 },
  ...(['oversize', 'inflate'] as const).map((fault) => ({
    what: `does the work, and then: ${fault}`,
    spoil: (answer: ServiceResponse) => ({ ...answer, fault }),
    exitCode: 8,
  })),
  ...(['reset', 'drop', 'hang', 'stall', 'drip', 'truncate'] as const).map((fault) => ({
    what: `does the work, and then: ${fault}`,
    spoil: (answer: ServiceResponse) => ({ ...answer, fault }),
    exitCode: 9,
  })),
];

/** Reports whether an error has the hint about an unknown outcome, or the command's own hint for a known defect. */
function saysSo({ hint = '', status = 0 }: AisecError, { hints }: Command): boolean {
  return hint === hints?.[status] || /outcome is unknown: list .* before you repeat/.test(hint);
}

scenario.each(spoils)('retry-post-never-blind', 'no command sends a change twice if the service $what', async (row) => {
  const wrong: string[] = [];
  for (const { name, line, command } of someOf(ONCE, spoils.indexOf(row))) {
    const { room, changes } = spoiledRoom((answer, request) => (isChange(request) ? row.spoil(answer) : answer));
    const error = await failing(room.run(`${line} ${AGAIN}`));
    const { exitCode, retryable, hint } = error;
    if (changes.length !== 1) wrong.push(`${name}: sent ${changes.length} changes, expected 1`);
    if (exitCode !== row.exitCode) wrong.push(`${name}: exit code ${exitCode}, expected ${row.exitCode}`);
    if (retryable) wrong.push(`${name}: says that it may be repeated`);
    if (!saysSo(error, command)) wrong.push(`${name}: does not say what to do first, but: ${hint}`);
  }
  expectNone(wrong, 'commands that send a change twice, or leave it open');
  expect(ONCE.length).toBeGreaterThan(50);
});

scenario('retry-post-never-blind', 'no command repeats its change if a later read fails', async () => {
  const wrong: string[] = [];
  const failedAfterwards: string[] = [];
  for (const { name, line, command } of CHANGING) {
    const { room, changes } = spoiledRoom((answer, request) => {
      if (isChange(request) || isToken(request) || changes.length === 0) return answer;
      return { ...answer, status: 503, body: '' };
    });
    const waits = 'wait' in command.args && !line.includes('wait=') ? ' wait=true' : '';
    const failed = await room.run(`${line}${waits} ${AGAIN}`).then(
      // The created job is returned together with the failure.
      ({ failure }) => failure !== undefined,
      () => true,
    );
    if (failed) failedAfterwards.push(name);
    if (new Set(changes).size !== changes.length) wrong.push(`${name}: sent ${changes.join(', ')}`);
  }
  expectNone(wrong, 'commands that made a change again');
  expect(failedAfterwards).toEqual(
    expect.arrayContaining(['aisec-redteam-scan-create', 'aisec-model-security-scans-create']),
  );
});
