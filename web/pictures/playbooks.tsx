/** The playbooks: those that ship with the program, and any other as YAML. */
import { useSignal } from '@preact/signals';
import type { ListedPlaybook } from '../../lib/playbook/about.ts';
import { sendJson } from '../api.ts';
import { addressOf, place } from '../state.ts';
import { Load } from './parts.tsx';
import { About, Playbook } from './playbook.tsx';
import type { DrawnPlaybook } from './rehearsal.ts';

/** Shows the list of playbooks, or the playbook in the address. */
export function PlaybooksView() {
  const [, name] = place.value;
  if (name === undefined) return <PlaybookList />;
  const path = `/v1/playbooks/${encodeURIComponent(name)}/graph`;
  return (
    <Load key={name} what="the playbook" load={(signal) => sendJson<DrawnPlaybook>(path, { signal })}>
      {(graph) => <Playbook playbook={name} graph={graph} />}
    </Load>
  );
}

function PlaybookList() {
  const list = (signal: AbortSignal) => sendJson<{ playbooks: readonly ListedPlaybook[] }>('/v1/playbooks', { signal });
  return (
    <>
      <h1>Playbooks</h1>
      <Load what="the playbooks" load={list}>
        {({ playbooks }) => (
          <ul>
            {playbooks.map(({ name, title, ...about }) => (
              <li key={name}>
                <a href={addressOf('playbooks', name)}>{title}</a>
                <About {...about} />
              </li>
            ))}
          </ul>
        )}
      </Load>
      <OwnPlaybook />
    </>
  );
}

/** Shows a playbook that is pasted as YAML. */
function OwnPlaybook() {
  const playbook = useSignal('');
  const draw = (signal: AbortSignal) =>
    sendJson<DrawnPlaybook>('/v1/playbooks/graph', { method: 'POST', body: { playbook: playbook.value }, signal });
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    playbook.value = String(new FormData(event.currentTarget as HTMLFormElement).get('yaml'));
  };
  return (
    <>
      <form class="inputs" onSubmit={onSubmit}>
        <label for="yaml">Or your own playbook: YAML, as the platform exports it</label>
        <textarea id="yaml" name="yaml" class="code" rows={6} required spellcheck={false} />
        <button type="submit">Show as graph</button>
      </form>
      {playbook.value === '' ? undefined : (
        <Load key={playbook.value} what="the graph" load={draw}>
          {(graph) => <Playbook playbook={playbook.value} graph={graph} />}
        </Load>
      )}
    </>
  );
}
