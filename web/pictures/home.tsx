/** The first page: what to do first, and the dashboard of the tenant. */
import { Act } from '../entries/act.tsx';
import { setLine } from '../line/state.ts';
import { commands, goTo } from '../state.ts';
import { Frame } from './frame.tsx';
import { recordsOf, textOf } from './parts.tsx';

const [SCAN, JOB] = ['aisec-runtime-scan', 'aisec-redteam-scan-create'];

/** Shows the first page. */
export function Home() {
  const firsts = [
    { command: SCAN, title: 'Scan a prompt', text: 'See why a prompt is blocked.', act: () => setLine(lineFor(SCAN)) },
    {
      command: JOB,
      title: 'Run a red-team job',
      text: 'Attack a target, and get a report.',
      act: startJob,
    },
  ].filter(({ command }) => commands.value.has(command));
  return (
    <>
      <h1>War room for AI security</h1>
      <p>Works offline, no account, nothing leaves this machine but calls to your service.</p>
      <ul class="firsts">
        {firsts.map(({ title, text, act }) => (
          <li key={title}>
            <Act on={act}>{title}</Act> <span class="soft">{text}</span>
          </li>
        ))}
        <li>
          <Act on={() => goTo('playbooks')}>Rehearse a playbook</Act> <span class="soft">Watch its tasks run.</span>
        </li>
      </ul>
      <Frame path="/v1/dashboard" title="Dashboard of the tenant" />
    </>
  );
}

/** Returns the line of a command's example. */
function lineFor(name: string): string {
  return `!${name} ${commands.value.get(name)?.example ?? ''}`.trim();
}

/** Puts the line of a job for a target of the tenant into the room. */
async function startJob(): Promise<void> {
  const targets = await recordsOf('aisec-redteam-targets-list', AbortSignal.timeout(5000)).catch(() => []);
  const uuid = textOf((targets.find(({ status }) => status === 'ACTIVE') ?? targets[0])?.['uuid']);
  setLine(uuid === '' ? lineFor(JOB) : lineFor(JOB).replace(/target_uuid=\S+/, `target_uuid=${uuid}`));
}
