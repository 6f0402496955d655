/** The first page: what to do first, and the dashboard of the tenant. */

import { setLine } from '../line/state.ts';
import { addressOf, commands } from '../state.ts';
import { Frame } from './frame.tsx';
import { recordsOf, textOf } from './parts.tsx';

const [SCAN, JOB, TARGETS] = ['aisec-runtime-scan', 'aisec-redteam-scan-create', 'aisec-redteam-targets-list'];

/** Shows the first page. */
export function Home() {
  const mayRun = (name: string) => commands.value.has(name);
  return (
    <div class="home">
      <h1>War room for AI security</h1>
      <p>Works offline, no account, nothing leaves this machine but calls to your service.</p>
      <ul class="firsts">
        {mayRun(SCAN) ? (
          <li>
            <button type="button" class="primary" onClick={() => setLine(lineFor(SCAN))}>
              Scan a prompt
            </button>
            <p>See why a prompt is blocked.</p>
          </li>
        ) : undefined}
        {mayRun(JOB) ? (
          <li>
            <button type="button" onClick={() => void startJob()}>
              Run a red-team job
            </button>
            <p>Attack a target, and get a report.</p>
          </li>
        ) : undefined}
        <li>
          <a class="button" href={addressOf('playbooks')}>
            Rehearse a playbook
          </a>
          <p>Watch its tasks run one by one.</p>
        </li>
        <li>
          <a class="button" href={addressOf('reports')}>
            Open a report
          </a>
          <p>Results of red-team and model scans.</p>
        </li>
      </ul>
      <Frame path="/v1/dashboard" title="Dashboard of the tenant" />
    </div>
  );
}

/** Returns the line of a command's example. */
function lineFor(name: string): string {
  return `!${name} ${commands.value.get(name)?.example ?? ''}`.trim();
}

/** Puts the line of a job for a target of the tenant into the room. */
async function startJob(): Promise<void> {
  const line = lineFor(JOB);
  const targets = commands.value.has(TARGETS)
    ? await recordsOf(TARGETS, { limit: 20 }, AbortSignal.timeout(5000)).catch(() => [])
    : [];
  const target = targets.find(({ status }) => status === 'ACTIVE') ?? targets[0];
  const uuid = textOf(target?.['uuid']);
  setLine(uuid === '' ? line : line.replace(/target_uuid=\S+/, `target_uuid=${uuid}`));
}
