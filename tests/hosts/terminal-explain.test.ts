import { CancelledError, ConfigurationError } from '../../lib/core/errors.ts';
import { objectOf } from '../../lib/core/json.ts';
import type { HttpRequest, Transport } from '../../lib/core/ports.ts';
import type { RunCommand } from '../../lib/engine/run-command.ts';
import { findingTables } from '../../lib/features/explain/findings.ts';
import { explained } from '../../lib/hosts/terminal/views/explain.ts';
import { failing } from '../support/exchange.ts';
import { testClock, warRoom } from '../support/simulated.ts';
import { rehearse } from './terminal-support.ts';

const ON_TOPIC = 'Should I buy shares of this company, or wait until autumn?';
const isReport = ({ url }: HttpRequest) => url.includes('/scan/reports');

/** Scans on the simulated service, and explains the scan. @param change replaces the answers to the report's requests */
async function explain(prompt: string, change?: (send: Transport['send'], asked: number) => Transport['send']) {
  const room = warRoom();
  const result = await room.run(`!aisec-runtime-scan profile_name=prod prompt="${prompt}"`);
  const clock = testClock();
  const { transport } = room.runtime;
  let asked = 0;
  const send: Transport['send'] = (request) => {
    if (!isReport(request) || change === undefined) return transport.send(request);
    asked += 1;
    return change(transport.send, asked)(request);
  };
  const run: RunCommand = async (name, args) => {
    const words = Object.entries(args).map(([key, value]) => `${key}=${value}`);
    const { writes, simulated } = await room.run([`!${name}`, ...words].join(' '));
    return { record: objectOf(writes[0]?.value), records: [], simulated };
  };
  const shown = () => explained(result, { ...room.runtime, clock, transport: { send } }, run);
  return { result, shown, clock, run, room, asked: () => asked };
}

const answer = (status: number, body: unknown) => async () => ({ status, headers: {}, body: JSON.stringify(body) });

describe('--explain', () => {
  test('names the topics in force, the one that matched, and each detector that ran', async () => {
    const { result, shown } = await explain(ON_TOPIC);
    const { readable, writes, raw } = await shown();
    expect(readable.notes.at(-1)).toBe(
      'Topics of the profile in force: investment-advice (block). Matched: investment-advice.',
    );
    const table = readable.tables.at(-1);
    expect(table?.rows.map(([detector]) => detector)).toEqual([
      'injection',
      'dlp',
      'toxic content',
      'topics',
      'url categories',
    ]);
    expect(table?.rows[3]).toEqual(['topics', 'prompt', 'malicious', 'block', 'blocked topic: investment-advice']);
    expect([writes, raw]).toEqual([result.writes, result.raw]);
  });

  test('reads no profile if no topic was violated', async () => {
    const { shown, room } = await explain('Hello');
    const before = room.requests.length;
    expect((await shown()).readable.notes).toEqual([]);
    expect(room.requests.slice(before).filter(({ url }) => url.includes('/mgmt/'))).toEqual([]);
  });

  test('retries for a few seconds while the report is not ready', async () => {
    const { shown, clock, asked } = await explain('Hello', (send, count) => (count < 3 ? answer(404, {}) : send));
    expect((await shown()).readable.tables.at(-1)?.rows).toHaveLength(5);
    expect([asked(), clock.waits]).toEqual([3, [1000, 1000]]);
  });

  test('says that there is no report after the last attempt', async () => {
    const { shown, result, clock } = await explain('Hello', () => answer(404, {}));
    const { readable } = await shown();
    expect(readable.tables).toEqual(result.readable.tables);
    expect(readable.notes.at(-1)).toMatch(/^There is no report R[\w-]+ yet\.$/);
    expect(clock.waits).toHaveLength(5);
  });

  test('keeps the verdict if the report cannot be read', async () => {
    const { shown } = await explain('Hello', () => answer(403, {}));
    expect((await shown()).readable.notes.at(-1)).toMatch(/^The report R[\w-]+ cannot be read: ./);
  });

  test('names the matched topics even if the profile cannot be read', async () => {
    const { result, room } = await explain(ON_TOPIC);
    const run: RunCommand = () => Promise.reject(new ConfigurationError('client_id is missing.'));
    const { readable } = await explained(result, room.runtime, run);
    expect(readable.notes.at(-1)).toBe('Matched: investment-advice. The profile cannot be read: client_id is missing.');
  });

  test('an interrupted explanation is a CancelledError', async () => {
    const { result, room } = await explain(ON_TOPIC);
    const run: RunCommand = () => Promise.reject(new CancelledError('stopped.'));
    expect(await failing(explained(result, room.runtime, run))).toBeInstanceOf(CancelledError);
  });

  test('has no effect on other commands, and says so', async () => {
    const { code, stderr, requests } = await rehearse(['!aisec-widget-get cog', '--explain', '--output', 'table']);
    expect([code, requests.some(isReport)]).toEqual([0, false]);
    expect(stderr).toContain('--explain applies to aisec-runtime-scan and aisec-runtime-bulk-scan.');
  });
});

describe('the findings that an answer has', () => {
  const cells = (answer: unknown) =>
    findingTables(answer).map(({ title, columns, rows }) => ({ title, columns: columns.join(), rows }));
  const SECRET = 'the-blocked-text';
  const metadata = { ecosystem: 'mcp', method: 'tools/call', server_name: 'files', tool_invoked: 'run_shell' };

  test('show which tool was caught, and what fired in its input and its output', () => {
    const tool_detected = {
      ...{ verdict: 'malicious', metadata },
      summary: { detections: { agent: true, dlp: true }, threats: ['agent'] },
      input_detected: {
        detection_entries: [
          {
            tool_invoked: 'run_shell',
            detections: { agent: true, url_cats: true, dlp: false },
            threats: ['tool misuse'],
          },
          { detections: {}, threats: [] },
        ],
      },
      output_detected: { detection_entries: [{ detections: { toxic_content: true }, threats: ['toxic content'] }] },
    };
    expect(cells({ tool_detected })).toEqual([
      {
        title: 'Call of a tool',
        columns: 'Server,Tool,Verdict,Text,Found',
        rows: [
          ['files', 'run_shell', 'malicious', 'input', 'agent, url categories, tool misuse'],
          ['files', 'run_shell', 'malicious', 'input', ''],
          ['files', 'run_shell', 'malicious', 'output', 'toxic content'],
        ],
      },
    ]);
  });

  test('show the summary of a tool without entries', () => {
    const tool_detected = { verdict: 'malicious', metadata, summary: { detections: { agent: true }, threats: [] } };
    expect(cells({ tool_detected })[0]?.rows).toEqual([['files', 'run_shell', 'malicious', 'call', 'agent']]);
  });

  test('show topics and toxic content of each text, and only columns that have any', () => {
    const topics = (blocked: string[], allowed: string[] = []) => ({
      topic_guardrails_details: { blocked_topics: blocked, allowed_topics: allowed },
    });
    const answer = {
      prompt_detection_details: {
        ...topics(['shares', 'loans']),
        toxic_content_details: { toxic_categories: ['hate'] },
      },
      response_detection_details: {},
      tool_detected: { output_detected: { detection_entries: [{ details: topics(['weapons']) }] } },
    };
    const [, table] = cells(answer);
    expect(table).toEqual({
      title: 'Topics and toxic content',
      columns: 'Text,Blocked Topics,Toxic Content',
      rows: [
        ['prompt', 'shares, loans', 'hate'],
        ['tool output', 'weapons', ''],
      ],
    });
  });

  test.each<{ what: string; data: string; found: unknown; marked: string; patterns?: string }>([
    {
      what: 'one place',
      data: 'a XXXX b',
      found: [{ pattern: 'Card', locations: [[2, 6]] }],
      marked: 'a [Card: XXXX] b',
    },
    {
      what: 'places of two patterns',
      data: 'XX and XXXX-XXXX',
      found: [
        { pattern: 'Card', locations: [[7, 16]] },
        { pattern: 'Name', locations: [[0, 2]] },
      ],
      marked: '[Name: XX] and [Card: XXXX-XXXX]',
      patterns: 'Card, Name',
    },
    {
      what: 'a place found twice',
      data: 'XXXX b',
      found: [
        { pattern: 'Card', locations: [[0, 4]] },
        { pattern: 'Number', locations: [[1, 3]] },
      ],
      marked: '[Card: XXXX] b',
      patterns: 'Card, Number',
    },
    {
      what: 'a place that counts code units',
      data: '\u{1f600} XX',
      found: [{ pattern: 'Card', locations: [[3, 5]] }],
      marked: '\u{1f600} [Card: XX]',
    },
    {
      what: 'a place that counts characters',
      data: '\u{1f600} XX',
      found: [{ pattern: 'Card', locations: [[2, 4]] }],
      marked: '\u{1f600} [Card: XX]',
    },
    {
      what: 'a place of the text that was hidden',
      data: 'a XX b',
      found: [{ pattern: 'Card', locations: [[2, 6]] }],
      marked: 'a XX b',
    },
    { what: 'a place beyond the end', data: 'XX', found: [{ pattern: 'Card', locations: [[0, 9]] }], marked: 'XX' },
    {
      what: 'no usable place',
      data: 'XX',
      found: [{ pattern: 'Card', locations: [[1, 0], [-1, 1], [0.5, 1], ['0', '1'], [0], null, 7] }],
      marked: 'XX',
    },
    { what: 'no pattern', data: 'XX', found: undefined, marked: 'XX', patterns: '' },
  ])('mark what was masked: $what', ({ data, found, marked, patterns = 'Card' }) => {
    const masked = { data, pattern_detections: found };
    for (const text of ['prompt', 'response']) {
      expect(cells({ [`${text}_masked_data`]: masked })).toEqual([
        { title: 'Masked', columns: 'Text,Patterns,Masked', rows: [[text, patterns, marked]] },
      ]);
    }
    const entry = { detections: {}, threats: [], masked_data: masked };
    const tool_detected = { verdict: 'malicious', input_detected: { detection_entries: [entry] } };
    expect(cells({ tool_detected }).at(-1)?.rows).toEqual([['tool input', patterns, marked]]);
  });

  test.each([
    { what: 'nothing', answer: undefined },
    {
      what: 'members of other types',
      answer: { prompt_masked_data: 'x', tool_detected: [], prompt_detection_details: 7 },
    },
    { what: 'no findings', answer: { prompt_detected: { dlp: true }, tool_detected: null } },
  ])('are no tables with $what', ({ answer }) => {
    expect(cells(answer)).toEqual([]);
  });

  test('show no text that the service did not mask, wherever it is', () => {
    const entry = { detections: { dlp: true }, threats: [], input: SECRET, matched: SECRET, details: { text: SECRET } };
    const answer = {
      ...{ prompt: SECRET, response: SECRET, tool_event: { input: SECRET } },
      prompt_masked_data: { data: 'XX', original: SECRET, pattern_detections: [{ pattern: 'Card', match: SECRET }] },
      prompt_detection_details: { toxic_content_details: { toxic_categories: ['hate'], sample: SECRET } },
      tool_detected: { verdict: 'malicious', metadata, input: SECRET, input_detected: { detection_entries: [entry] } },
    };
    expect(cells(answer)).toHaveLength(3);
    expect(JSON.stringify(cells(answer))).not.toContain(SECRET);
  });

  test('stand before the detectors, and are shown without a report', async () => {
    const card = 'My card is 4111 1111 1111 1111.';
    const marked = `My card is [Credit Card Number: ${'X'.repeat(19)}].`;
    for (const change of [undefined, () => answer(404, {})]) {
      const { shown } = await explain(card, change);
      const { tables } = (await shown()).readable;
      expect(tables[1]).toMatchObject({ title: 'Masked', rows: [['prompt', 'Credit Card Number', marked]] });
    }
  });
});
