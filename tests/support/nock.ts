import nock from 'nock';

// The import patches HTTP, which only the blocks that use it should see.
nock.restore();

/**
 * HTTP mocks for the tests of the enclosing block: an unexpected request fails, and so does an unused mock. Real
 * connections are refused while the block runs, even to this machine.
 */
export function useNock(): typeof nock {
  let unmatched: string[] = [];
  const note = (request: { method?: string; path?: string; host?: string }) => {
    unmatched.push(`${request.method ?? ''} ${request.host ?? ''}${request.path ?? ''}`.trim());
  };

  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
    nock.emitter.on('no match', note);
  });

  afterEach(() => {
    const unused = nock.pendingMocks();
    const unexpected = unmatched;
    nock.cleanAll();
    unmatched = [];
    expect({ unused, unexpected }).toEqual({ unused: [], unexpected: [] });
  });

  afterAll(() => {
    nock.emitter.off('no match', note);
    nock.enableNetConnect();
    nock.restore();
  });

  return nock;
}
