/** Problem documents, and runs as callers see them. */
import {
  AisecError,
  AuthError,
  CancelledError,
  ConfigurationError,
  ConflictError,
  NetworkError,
  NotAllowedError,
  NotFoundError,
  PartialError,
  PermissionError,
  PreconditionError,
  ProxyError,
  QuotaError,
  RateLimitError,
  RefusedError,
  ResponseError,
  ServiceError,
  TimeoutError,
  TlsError,
  UsageError,
  ValidationError,
} from '../../../lib/core/errors.ts';
import { documentOf, errorProblem, head } from '../../../lib/hosts/http/problems.ts';
import { fileDocument, resultDocument, runDocument } from '../../../lib/hosts/http/responses/run-document.ts';
import { BusyError, CallerQueueFullError, newRun, TenantQueueFullError } from '../../../lib/runs/port.ts';
import { OWNER, WORK } from '../../unit/runs/suite.ts';

describe('A problem', () => {
  it.each<[abstract new (...args: never[]) => AisecError, number, string, string]>([
    [UsageError, 400, 'Bad Request', 'usage'],
    [RefusedError, 400, 'Bad Request', 'refused'],
    [NotAllowedError, 403, 'Forbidden', 'not-allowed'],
    [NotFoundError, 404, 'Not Found', 'not-found'],
    [ConflictError, 409, 'Conflict', 'conflict'],
    [PreconditionError, 409, 'Conflict', 'precondition'],
    [QuotaError, 429, 'Too Many Requests', 'quota'],
    [RateLimitError, 429, 'Too Many Requests', 'rate-limit'],
    [CancelledError, 499, 'Client Closed Request', 'cancelled'],
    [AisecError, 500, 'Internal Server Error', 'error'],
    [AuthError, 502, 'Bad Gateway', 'authentication'],
    [PermissionError, 502, 'Bad Gateway', 'permission'],
    [PartialError, 502, 'Bad Gateway', 'partial'],
    [ServiceError, 502, 'Bad Gateway', 'service'],
    [ResponseError, 502, 'Bad Gateway', 'response'],
    [ConfigurationError, 503, 'Service Unavailable', 'configuration'],
    [BusyError, 503, 'Service Unavailable', 'busy'],
    [NetworkError, 504, 'Gateway Timeout', 'network'],
    [TimeoutError, 504, 'Gateway Timeout', 'timeout'],
    [TlsError, 504, 'Gateway Timeout', 'tls'],
    [ProxyError, 504, 'Gateway Timeout', 'proxy'],
  ])('of %p has the status %s', (kind, status, title, code) => {
    const error = Reflect.construct(kind, ['It failed.']) as AisecError;
    const expected = { type: `urn:aisec:problem:${code}`, title, status, detail: 'It failed.', code, retryable: false };
    // Unknown members are omitted, not undefined.
    expect(documentOf(error)).toStrictEqual(expected);
  });

  it('of a bug asks for a report', () => {
    expect(documentOf(new TypeError('x is not a function'))).toEqual({
      ...head(500, 'error', 'Unexpected failure: x is not a function'),
      retryable: false,
      hint: 'This is a bug in aisec: run it again with log level debug, and report the log.',
    });
  });

  it('has the answer of the service, what to do next, and the argument', () => {
    const more = { command: 'aisec-runtime-scan', argument: 'prompt', retryable: true, hint: 'Try again.' };
    const error = new ServiceError('It failed.', { ...more, status: 500, requestId: 'r-1' });
    expect(documentOf(error)).toEqual({
      ...head(502, 'service', 'It failed.'),
      ...more,
      upstreamStatus: 500,
      upstreamRequestId: 'r-1',
    });
  });

  it('of arguments lists every invalid argument, each with a pointer into the body', () => {
    const problems = [
      { argument: 'limit', message: 'limit must be a number.', hint: 'Such as 10.' },
      { argument: 'a/b~c/d~e', message: 'There is no such argument.' },
      { message: 'Something is missing.' },
    ];
    const { errors } = documentOf(new ValidationError(problems));
    expect(JSON.stringify(errors)).toBe(
      JSON.stringify([
        { detail: 'limit must be a number.', pointer: '#/limit', hint: 'Such as 10.' },
        { detail: 'There is no such argument.', pointer: '#/a~1b~0c~1d~0e' },
        { detail: 'Something is missing.' },
      ]),
    );
  });

  it('with a status that HTTP does not define has a title too', () => {
    expect(head(599, 'x', 'It failed.').title).toBe('Error');
  });
});

describe('The time to wait', () => {
  it.each([
    ['of a rate that the service names, rounded up', new RateLimitError('.', { waitMs: 1500 }), '2'],
    ['of a rate is a second at least', new RateLimitError('.', { waitMs: 0 }), '1'],
    ['of a rate that the service does not name is a minute', new RateLimitError('.'), '60'],
    ['of a quota is a minute', new QuotaError('.'), '60'],
    ['of a full queue is a minute', new BusyError('.'), '60'],
    ['of a setting is missing', new ConfigurationError('.'), undefined],
    ['of a failed service is missing', new ServiceError('.', { retryable: true }), undefined],
  ])('%s', (_what, error, seconds) => {
    expect(errorProblem(error).headers).toEqual(seconds === undefined ? {} : { 'retry-after': seconds });
  });
});

describe('A message about the machine', () => {
  it.each([
    [
      'The same work is already running: /tmp/aisec-serve-x1/default/a.lock belongs to process 17 on build-3, since 2026.',
      'The same work is already running: a.lock belongs to another process, since 2026.',
    ],
    [
      'It belongs to process 17 on build-3.internal in another container, since 2026.',
      'It belongs to another process, since 2026.',
    ],
    ['It belongs to process 17 on build-3.', 'It belongs to another process.'],
    ['A file cannot be written to /srv/aisec/files (EACCES).', 'A file cannot be written to files (EACCES).'],
    ['In /etc/aisec/integration.yml, "profiles" is wrong.', 'In integration.yml, "profiles" is wrong.'],
    ['/srv/a/prompts.csv is gone (/srv/a/b.csv), file=/srv/a/c.csv.', 'prompts.csv is gone (b.csv), file=c.csv.'],
    ['Redis at cache-1.internal:6379 has no memory left.', 'Redis has no memory left.'],
    [
      'Send it first: POST /v1/files, then GET /v1/files/abc.',
      'Send it first: POST /v1/files, then GET /v1/files/abc.',
    ],
    ['See /v12/files/abc and https://example.com/docs/a/b.', 'See /v12/files/abc and https://example.com/docs/a/b.'],
    ['There is no file "/etc/passwd".', 'There is no file "/etc/passwd".'],
  ])('such as "%s" becomes "%s"', (message, wanted) => {
    const { body } = errorProblem(new ConflictError(message, { hint: message }));
    expect([body.detail, body.hint]).toEqual([wanted, wanted]);
  });

  it('is also absent from the problems of single arguments', () => {
    const message = 'The file /srv/private/a.csv cannot be read.';
    const wanted = 'The file a.csv cannot be read.';
    const { errors } = documentOf(new ValidationError([{ argument: 'entry_id', message, hint: message }]));
    expect(errors).toEqual([{ detail: wanted, pointer: '#/entry_id', hint: wanted }]);
    expect(documentOf(new ConfigurationError(message)).detail).toBe(wanted);
  });
});

describe('runs', () => {
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

    it('of an entry is the plain result', () => {
      const entry = { number: 1, line: '!x', result: { files: [SHOWN_FILE] } };
      expect(resultDocument(entry)).toEqual(entry);
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
  });

  test('the document of a file has its address and no path', () => {
    const shelved = { ...FILE, path: '/files/all.json' };
    expect(fileDocument(shelved as unknown as Parameters<typeof fileDocument>[0])).toEqual(SHOWN_FILE);
  });

  test.each([
    [new TenantQueueFullError(), 503, 'Try again later, or run it without Prefer: respond-async.'],
    [new CallerQueueFullError(), 429, 'Wait for runs to end, or stop some.'],
  ])('the problem of a full queue says what frees room: %p', (error, status, hint) => {
    expect(errorProblem(error).body).toMatchObject({ status, hint, retryable: true });
  });
});
