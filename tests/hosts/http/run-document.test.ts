/** Runs, results and files as clients see them. */
import { PartialError, ServiceError } from '../../../lib/core/errors.ts';
import { errorProblem } from '../../../lib/hosts/http/responses/problems.ts';
import { fileDocument, resultDocument, runDocument } from '../../../lib/hosts/http/responses/run-document.ts';
import { CallerQueueFullError, newRun, TenantQueueFullError } from '../../../lib/runs/port.ts';
import { OWNER, WORK } from '../../unit/runs/suite.ts';

const FILE = { id: 'f1', name: 'all.json', size: 10, contentType: 'application/json' };
const SHOWN_FILE = { ...FILE, url: '/v1/files/f1' };
const failure = new PartialError('One page is missing.', { hint: 'Try again.' });
const DOCUMENT = { code: 'partial', status: 502, detail: 'One page is missing.', hint: 'Try again.' };

describe('The document of a result', () => {
  it('has the address of each file', () => {
    const truncated = { kept: 1, total: 2, note: 'Cut.' };
    expect(resultDocument({ outputs: {}, files: [FILE], truncated: { ...truncated, file: FILE } })).toEqual({
      outputs: {},
      files: [SHOWN_FILE],
      truncated: { ...truncated, file: SHOWN_FILE },
    });
    expect(resultDocument({ files: [], truncated })).toEqual({ files: [], truncated });
  });

  it('has the failure as a problem document', () => {
    const document = resultDocument({ tasks: [], failure: failure.toJSON() });
    expect(document).toEqual({ tasks: [], failure: expect.objectContaining(DOCUMENT) as unknown });
  });

  it('of an entry, or of version 0.2.0, is the plain result', () => {
    const entry = { number: 1, line: '!x', result: { files: [SHOWN_FILE] } };
    expect(resultDocument(entry)).toEqual(entry);
    const earlier = { files: [SHOWN_FILE], failure: DOCUMENT };
    expect(resultDocument(earlier)).toEqual(earlier);
  });
});

describe('The document of a run', () => {
  const run = newRun('r1', OWNER, WORK, '2026-01-01T00:00:00.000Z');
  const addresses = { url: '/v1/runs/r1', eventsUrl: '/v1/runs/r1/events' };

  it('has the error as a problem document, and no owner', () => {
    const error = new ServiceError('It failed.').toJSON();
    const document = runDocument({ ...run, state: 'failed', error });
    expect(document).toMatchObject({ ...addresses, problem: { code: 'service', status: 502, detail: 'It failed.' } });
    for (const name of ['owner', 'error', 'result']) expect(document).not.toHaveProperty(name);
  });

  it('of version 0.2.0 keeps its problem document', () => {
    const earlier = { ...run, problem: DOCUMENT };
    expect(runDocument(earlier)).toMatchObject({ ...addresses, problem: DOCUMENT });
  });
});

test('the document of a file has its address and no path', () => {
  const shelved = { ...FILE, path: '/files/all.json' };
  expect(fileDocument(shelved as unknown as Parameters<typeof fileDocument>[0])).toEqual(SHOWN_FILE);
});

test.each([
  [new TenantQueueFullError(), 503, 'Try again later, or run it without Prefer: respond-async.'],
  [new CallerQueueFullError(), 429, 'Wait for runs to end, or stop some: DELETE /v1/runs/{id}.'],
])('the problem of a full queue names the request that frees room: %p', (error, status, hint) => {
  expect(errorProblem(error).body).toMatchObject({ status, hint, retryable: true });
});
