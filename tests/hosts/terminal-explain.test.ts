import { CancelledError, ConfigurationError } from '../../lib/core/errors.ts';
import { objectOf } from '../../lib/core/json.ts';
import type { HttpRequest, Transport } from '../../lib/core/ports.ts';
import type { RunCommand } from '../../lib/engine/run-command.ts';
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
