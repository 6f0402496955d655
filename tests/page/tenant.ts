/** A tenant whose clock stands still until a test moves it, so that its scans run as long as the test needs. */
import { createService } from '../../fixtures/service/index.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { startServer } from '../../fixtures/service/server.ts';
import { machineClock } from '../support/machine.ts';

/** A line that starts a red-team scan, and waits for its end. */
export const SCAN_LINE = `!aisec-redteam-scan-create name=nightly target_uuid=${RED_TEAM_IDS.targets.supportChatbot} wait=true interval=1`;

const JOB_SECONDS = 100;

/** Starts the tenant. */
export async function tenantWithClock() {
  const start = machineClock.now();
  let passed = 0;
  const service = createService({ jobSeconds: JOB_SECONDS });
  const server = await startServer(service, { port: 0, clock: { now: () => start + passed } });
  return {
    settings: service.settings(server.origin),
    /** Brings the running scans half to their end. */
    half: () => {
      passed += (JOB_SECONDS * 1000) / 2;
    },
    close: () => server.close(),
  };
}
