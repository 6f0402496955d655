import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { objectOf, objectsOf } from '../../../lib/core/json.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const { supportChatbot, legacyKiosk } = RED_TEAM_IDS.targets;

const _statistics = 'aisec-redteam-dashboard-scan-statistics';
const trend = 'aisec-redteam-dashboard-score-trend';
const quota = 'aisec-redteam-metering-quota';
const _overview = 'aisec-redteam-dashboard-overview';

const details = { allocated: 5, consumed: 0, unlimited: false };

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

describe('score trend', () => {
  requirement(
    'red-team-score-trend-aligned',
    'every series has a value for each bucket, and the table shows them side by side',
    async () => {
      const { writes, readable } = await warRoom().run(`!${trend} target_id=${supportChatbot}`);
      const { labels, series } = objectOf(writes[0]?.value);
      const [buckets, lines] = [listOf(labels), objectsOf(series)];
      expect(buckets.length).toBeGreaterThan(1);
      for (const { data } of lines) expect(data).toHaveLength(buckets.length);
      const scores = listOf(lines[0]?.['data']);
      const at = scores.findIndex((score) => score !== null);
      expect(readable.tables[1]?.columns).toEqual(['Time', ...lines.map(({ label }) => label)]);
      expect(readable.tables[1]?.rows[at]?.slice(0, 2)).toEqual([buckets[at], String(scores[at])]);
    },
  );

  test('without scores the table names the days of the window', async () => {
    const { readable } = await warRoom().run(`!${trend} target_id=${legacyKiosk}`);
    expect(markdown(readable)).toContain('the last seven');
    expect(readable.tables).toHaveLength(1);
  });
});

describe('quota and overview', () => {
  scenario('retry-read-by-post', 'the quota is read by an idempotent POST, which a dry run sends', async () => {
    let asked = 0;
    const room = answering(() => {
      asked += 1;
      return asked === 1 ? { status: 503 } : { answer: { static: details } };
    });
    const { planned, writes } = await room.run(`!${quota}`, { dryRun: true });
    expect([asked, planned, writes.length]).toEqual([2, false, 1]);
  });
});
