/** The playbooks: those that ship with the program, and any other as YAML. */
import { useSignal } from '@preact/signals';
import { sendJson } from '../api.ts';
import { addressOf, place } from '../state.ts';
import type { ListedPlaybook, PlaybookGraph } from './graph-model.ts';
import { Shown, useLoaded } from './parts.tsx';
import { Playbook } from './playbook.tsx';

/** Shows the list of playbooks, or the playbook in the address. */
export function PlaybooksView() {
  const [, name] = place.value;
  const graph = useLoaded<PlaybookGraph | undefined>(name ?? '', async (signal) =>
    name === undefined
      ? undefined
      : sendJson<PlaybookGraph>(`/v1/playbooks/${encodeURIComponent(name)}/graph`, { signal }),
  );
  if (name === undefined) return <PlaybookList />;
  return (
    <>
      <p>
        <a href={addressOf('playbooks')}>All playbooks</a>
      </p>
      <Shown of={graph} what="the playbook">
        {(loaded) => (loaded === undefined ? undefined : <Playbook key={name} playbook={name} graph={loaded} />)}
      </Shown>
    </>
  );
}

function PlaybookList() {
  const list = useLoaded('', async (signal) =>
    sendJson<{ playbooks: readonly ListedPlaybook[] }>('/v1/playbooks', { signal }),
  );
  return (
    <>
      <h1>Playbooks</h1>
      <Shown of={list} what="the playbooks">
        {({ playbooks }) => (
          <ul class="playbooks">
            {playbooks.map(({ name, title, inputs }) => (
              <li key={name}>
                <a href={addressOf('playbooks', name)}>{title}</a>
                <span class="soft">
                  {inputs
                    .filter(({ required }) => required)
                    .map((input) => input.name)
                    .join(', ')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <OwnPlaybook />
    </>
  );
}

/** Draws a playbook that is pasted as YAML. */
function OwnPlaybook() {
  const text = useSignal('');
  const asked = useSignal('');
  const graph = useLoaded<PlaybookGraph | undefined>(asked.value, async (signal) =>
    asked.value === ''
      ? undefined
      : sendJson<PlaybookGraph>('/v1/playbooks/graph', { method: 'POST', body: { playbook: asked.value }, signal }),
  );
  return (
    <section aria-labelledby="own-title">
      <h2 id="own-title">Your own playbook</h2>
      <form
        class="own"
        onSubmit={(event) => {
          event.preventDefault();
          asked.value = text.value;
        }}
      >
        <label for="own-playbook">YAML of the platform's playbook</label>
        <textarea
          id="own-playbook"
          class="code"
          rows={6}
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <button type="submit" disabled={text.value.trim() === ''}>
          Draw
        </button>
      </form>
      <Shown of={graph} what="the graph">
        {(loaded) => (loaded === undefined ? undefined : <Playbook playbook={asked.value} graph={loaded} />)}
      </Shown>
    </section>
  );
}
