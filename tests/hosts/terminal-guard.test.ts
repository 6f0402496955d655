/** `aisec guard`: cleared text passes byte for byte, and no other text passes. */
import { TimeoutError } from '../../lib/core/errors.ts';
import { ruled, startPipe, throughPipe } from './guard-pipe.ts';

const PROD = ['--profile', 'prod'];
const LONG = 'The policy covers water damage. '.repeat(200);
function tooLong(): object {
  throw new TimeoutError('The time limit has passed.');
}

const GOOD: readonly (readonly [what: string, text: string])[] = [
  ['an empty text', ''],
  ['only white space, which the service does not scan', ' \r\n\t\n'.repeat(100)],
  ['several windows', LONG],
  ['a byte-order mark, and lines that end in CR LF', '\ufeffa\r\nb\r\n'],
  ['a line of 100,000 characters without a space', 'x'.repeat(100_000)],
  ['control characters and escapes', '\u001b[31mred\u001b[0m\u0007\t\r'],
];

describe('a text that the profile allows', () => {
  test.each(GOOD)('%s passes byte for byte', async (_, text) => {
    const { code, stdout, stderr } = await throughPipe([...PROD, '--quiet'], text);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.equals(Buffer.from(text))).toBe(true);
  });

  test.each([
    ['UTF-16LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('in %s passes as UTF-8 while it is written, even if chunks split surrogate pairs', async (_, encoded) => {
    const pipe = startPipe([...PROD, '--quiet', '--pause', '0.01']);
    const [first, second] = ['one 👩‍👩‍👧\n', 'two 𝒳 é\r\n'];
    const bytes = encoded(first + second);
    const cut = 2 + first.length * 2;
    for (const byte of bytes.subarray(0, cut)) pipe.stdin.write(Buffer.from([byte]));
    await pipe.shows(first);
    for (const byte of bytes.subarray(cut)) pipe.stdin.write(Buffer.from([byte]));
    pipe.stdin.end();
    expect(await pipe.code).toBe(0);
    expect(pipe.output().toString()).toBe(first + second);
  });

  test('is released before the rest of a large chunk is scanned', async () => {
    let seen = -1;
    const pipe = startPipe(PROD, (text) => {
      if (text.includes('LAST')) seen = pipe.output().length;
      return ruled(text);
    });
    pipe.stdin.end(`${LONG}LAST`);
    expect(await pipe.code).toBe(0);
    expect(seen).toBeGreaterThan(LONG.length / 2);
  });
});

describe('a text that the profile blocks', () => {
  const bad = `${LONG}BAD and more ${LONG}`;

  test('is cut before the blocked text: exit 1, the reason and the ids on stderr, no refusal on stdout', async () => {
    const { code, stdout, stderr } = await throughPipe(PROD, bad);
    expect(code).toBe(1);
    expect(LONG.startsWith(stdout.toString())).toBe(true);
    expect(stdout.length).toBeGreaterThan(1000);
    expect(stderr).toMatch(/The text was cut: prod blocks it \(dlp\)\.\nhint: .*scan-1.*report-1/);
    expect(stderr).not.toContain('BAD');
  });

  test('is held back completely with --hold-all', async () => {
    const { code, stdout } = await throughPipe([...PROD, '--hold-all'], bad);
    expect([code, stdout.length]).toEqual([1, 0]);
  });

  test('is not read further', async () => {
    const pipe = startPipe(PROD);
    pipe.stdin.write(`BAD ${LONG}`);
    expect(await pipe.code).toBe(1);
    expect(pipe.stdin.destroyed).toBe(true);
    expect(pipe.output().length).toBe(0);
  });

  test('is named as one line of JSON on stderr with --output json', async () => {
    const { code, stderr } = await throughPipe([...PROD, '--output', 'json'], 'BAD');
    expect(code).toBe(1);
    const { guard } = JSON.parse(stderr) as { guard: object };
    expect(guard).toMatchObject({ action: 'block', scanId: 'scan-1', scans: 1, exit_code: 1, simulated: true });
    expect(stderr).not.toContain('BAD');
  });
});

test('an allowed text has its decision on stderr with --output json, and stdout is the text', async () => {
  const { code, stdout, stderr } = await throughPipe([...PROD, '--output', 'json'], 'fine');
  expect([code, stdout.toString()]).toEqual([0, 'fine']);
  expect(JSON.parse(stderr)).toMatchObject({ guard: { action: 'allow', exit_code: 0 } });
});

describe('a writer that pauses', () => {
  test('has its complete lines released, and the unfinished line held', async () => {
    const pipe = startPipe([...PROD, '--quiet', '--pause', '0.01']);
    pipe.stdin.write('one\ntwo\nthr');
    await pipe.shows('one\ntwo\n');
    pipe.stdin.write('ee\n');
    await pipe.shows('one\ntwo\nthree\n');
    pipe.stdin.end('four');
    expect(await pipe.code).toBe(0);
    expect(pipe.output().toString()).toBe('one\ntwo\nthree\nfour');
  });

  test('has the text released before a pause scanned again with the text that follows', async () => {
    const pipe = startPipe([...PROD, '--pause', '0.01']);
    pipe.stdin.write('a B\n');
    await pipe.shows('a B\n');
    pipe.stdin.end('AD');
    expect(await pipe.code).toBe(0);
    expect(pipe.scanned.at(-1)).toBe('a B\nAD');
  });

  test('has no blocked text released, and needs no scan until another line is complete', async () => {
    const pipe = startPipe([...PROD, '--pause', '0.01']);
    pipe.stdin.write('fine\nunfin');
    await pipe.shows('fine\n');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(pipe.scanned).toEqual(['fine\nunfin']);
    pipe.stdin.write('ished BAD\n');
    expect(await pipe.code).toBe(1);
    expect(pipe.output().toString()).toBe('fine\n');
  });

  test('passes byte for byte, whatever the pauses', async () => {
    const pipe = startPipe([...PROD, '--quiet', '--pause', '0.001', '--window', '20,40,10']);
    const pieces = Array.from(
      { length: 60 },
      (_, at) => `${'wörter 👩‍👩‍👧 '.repeat(at % 5)}${at % 3 === 0 ? '\r\n' : ''}`,
    );
    for (const piece of pieces) {
      pipe.stdin.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    pipe.stdin.end();
    expect(await pipe.code).toBe(0);
    expect(pipe.output().toString()).toBe(pieces.join(''));
  });
});

describe('without a complete verdict', () => {
  const rows = [
    { what: 'a detector that failed', answer: () => ({ ...ruled(''), error: true }), code: 8, cause: 'incomplete' },
    {
      what: 'an unknown action',
      answer: () => ({ ...ruled(''), action: 'alert' }),
      code: 8,
      cause: 'unknown-action',
      always: true,
    },
    { what: 'a scan that times out', answer: tooLong, code: 9, cause: 'timeout' },
    { what: 'wrong credentials', answer: () => 401, code: 4, cause: 'authentication', always: true },
    { what: 'a missing permission', answer: () => 403, code: 4, cause: 'permission', always: true },
    { what: 'an unknown profile', answer: () => 404, code: 5, cause: 'profile', always: true, says: 'profile "prod"' },
    { what: 'a request that the service rejects', answer: () => 422, code: 2, cause: 'usage', always: true },
  ];

  test.each(rows)('$what cuts the text with exit $code', async ({ answer, code, cause, says = '' }) => {
    const run = await throughPipe([...PROD, '--timeout', '0.2'], 'hello', answer);
    expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code, stdout: '' });
    expect(run.stderr).toContain(`(${cause}`);
    expect(run.stderr).toContain(says);
    expect(run.stderr).not.toContain('hello');
  });

  test.each(rows)('$what with --on-error allow', async ({ answer, code, cause, always }) => {
    const run = await throughPipe([...PROD, '--timeout', '0.2', '--on-error', 'allow'], 'hello', answer);
    const passed = always === true ? { code, stdout: '' } : { code: 0, stdout: 'hello' };
    expect({ code: run.code, stdout: run.stdout.toString() }).toEqual(passed);
    if (always !== true) expect(run.stderr).toMatch(`passes without a complete verdict: `);
    expect(run.stderr).toContain(cause);
  });

  test('a block after released text decides the exit code', async () => {
    const answer = (text: string) => ({ ...ruled(text), error: !text.includes('BAD') });
    const { code, stderr } = await throughPipe([...PROD, '--on-error', 'allow'], `${LONG}BAD`, answer);
    expect([code, stderr]).toEqual([1, expect.stringContaining('The text was cut: ')]);
  });

  test('a cause is reported once, however many windows pass because of it', async () => {
    const answer = () => ({ ...ruled(''), error: true });
    const { stderr } = await throughPipe([...PROD, '--on-error', 'allow'], LONG, answer);
    expect(stderr.match(/without a complete verdict/g)).toHaveLength(1);
  });
});

describe('bytes that are not text', () => {
  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff]), 'not UTF-8'],
    ['UTF-16 without a byte-order mark', Buffer.from('ab', 'utf16le'), 'begins UTF-16 without'],
    ['half of a UTF-16 surrogate pair', Buffer.from('\ufeffa\ud83d', 'utf16le'), 'byte 5, in line 1'],
  ])('%s are refused with exit 2, and none of them pass', async (_, bytes, said) => {
    const { code, stdout, stderr } = await throughPipe(PROD, bytes);
    expect([code, stdout.length]).toEqual([2, 0]);
    expect(stderr).toContain(said);
  });
});

describe('a prompt', () => {
  test('passes as a whole', async () => {
    const { code, stdout, scanned } = await throughPipe([...PROD, '--prompt'], LONG);
    expect([code, stdout.toString(), scanned]).toEqual([0, LONG, [LONG]]);
  });

  test('is refused above the length of one scan, before anything is sent', async () => {
    const { code, scanned, stdout } = await throughPipe([...PROD, '--prompt'], 'é'.repeat(1_100_000));
    expect([code, scanned, stdout.length]).toEqual([2, [], 0]);
  });

  test('is held back completely if it is blocked', async () => {
    const { code, stdout } = await throughPipe([...PROD, '--prompt'], `${LONG}BAD`);
    expect([code, stdout.length]).toEqual([1, 0]);
  });
});

describe('a tool call', () => {
  const TOOL = [...PROD, '--tool', 'mail/send'];

  test('passes unchanged, and is refused if readers could interpret it differently', async () => {
    const twice = await throughPipe(TOOL, '{"body":"BAD","body":"fine"}');
    expect([twice.code, twice.stdout.length, twice.scanned]).toEqual([2, 0, []]);
    const good = await throughPipe(TOOL, ' { "body": 1e2 }\n');
    expect([good.code, good.stdout.toString()]).toEqual([0, ' { "body": 1e2 }\n']);
    expect(good.scanned[0]).toContain('"server_name":"mail"');
  });
});

test('masked text replaces sensitive text', async () => {
  const answer = (text: string) => ({
    ...ruled('BAD'),
    response_masked_data: { data: text.replace('4111', 'XXXX') },
  });
  const { code, stdout } = await throughPipe([...PROD, '--mask'], 'card 4111\n', answer);
  expect([code, stdout.toString()]).toEqual([0, 'card XXXX\n']);
});

test('the context goes with each scan', async () => {
  const { bodies } = await throughPipe(
    [...PROD, '--session-id', 's', '--transaction-id', 't', '--app-user', 'u', '--ai-model', 'm'],
    'hello',
  );
  expect(bodies[0]).toMatchObject({ session_id: 's', transaction_id: 't', metadata: { app_user: 'u', ai_model: 'm' } });
});

test.each([
  ['no profile', []],
  ['a word', [...PROD, 'text']],
  ['a prompt and a tool', [...PROD, '--prompt', '--tool', 'a/b']],
  ['a mask for a tool', [...PROD, '--tool', 'a/b', '--mask']],
  ['windows with --hold-all', [...PROD, '--hold-all', '--window', '1,2,3']],
  ['unusable windows', [...PROD, '--window', '300,200,80']],
  ['a dry run', [...PROD, '--dry-run']],
])('%s is refused with exit 2 before anything is read or sent', async (_, words) => {
  const { code, stdout, stderr, scanned } = await throughPipe(words, 'hello');
  expect([code, stdout.length, scanned]).toEqual([2, 0, []]);
  expect(stderr).toMatch(/^error: [\s\S]*\nhint: |^error: .*\.\n$/);
});

test('a closed reader ends the running scan without an error', async () => {
  let stop: { readonly stopped: boolean } | undefined;
  const pipe = startPipe([...PROD, '--quiet'], async (text, request) => {
    if (!text.includes('second')) return ruled(text);
    stop = request.stop;
    pipe.stdout.destroy(Object.assign(new Error('EPIPE'), { code: 'EPIPE' }));
    return new Promise(() => undefined);
  });
  pipe.stdin.write(`${LONG}second ${LONG}`);
  expect(await pipe.code).toBe(0);
  expect(pipe.errors()).toBe('');
  expect(stop?.stopped).toBe(true);
});
