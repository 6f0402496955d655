/** The guard, live: what it decides about a prompt, a conversation or an answer, and why. */
import { State } from '../entries/cell.tsx';
import { textOf } from '../entries/cells.ts';
import { commands } from '../state.ts';
import { ask, partsOf, type Said, said } from './guard-model.ts';
import { Load, ProblemBox, recordsOf } from './parts.tsx';

const SCAN = 'aisec-runtime-scan';
const TONES: Readonly<Record<string, string>> = { held: 'soft', masked: 'mark', blocked: 'bad' };

export function GuardView() {
  return (
    <>
      <h1>Guard</h1>
      <p>
        See what the guard decides before a text enters or leaves an application. A block ends a conversation: the rest
        is held.
      </p>
      {commands.value.has(SCAN) ? (
        <Load what="the profiles" load={(signal) => recordsOf('aisec-runtime-profiles-list', signal)}>
          {(profiles) => <GuardForm profiles={profiles.map(({ name }) => textOf(name))} />}
        </Load>
      ) : (
        <p>This token may not run {SCAN}, so it cannot ask the guard.</p>
      )}
      <section aria-label="Decision" aria-live="polite">
        {said.value.map((each, at) => (
          <Message key={at} {...each} />
        ))}
      </section>
    </>
  );
}

/** What the form has, also while another view is shown. */
let kept: Readonly<Record<string, unknown>> = {};

function GuardForm({ profiles }: { readonly profiles: readonly string[] }) {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement, event.submitter);
    void ask(String(form.get('profile')), String(form.get('text')), form.has('answer'));
  };
  return (
    <form
      class="inputs"
      onSubmit={onSubmit}
      onInput={({ currentTarget }) => (kept = Object.fromEntries(new FormData(currentTarget)))}
    >
      <label for="profile">Profile</label>
      <input
        id="profile"
        name="profile"
        list="profiles"
        required
        defaultValue={textOf(kept['profile'] ?? profiles[0])}
      />
      <datalist id="profiles">
        {profiles.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label for="guarded">A prompt, a conversation with lines such as "user: Hello", or the answer of a model</label>
      <textarea id="guarded" name="text" rows={7} required dir="auto" defaultValue={textOf(kept['text'])} />
      <div class="tools">
        <button type="submit" class="primary">
          Check as input
        </button>
        <button type="submit" name="answer">
          Stream as answer
        </button>
      </div>
    </form>
  );
}

/** Shows which parts of a message are released, held back, masked or blocked, and why. */
function Message({ role, content, released, decision, problem }: Said) {
  const { action, verdict, reason, scanId }: Partial<NonNullable<Said['decision']>> = decision ?? {};
  return (
    <div class="decision">
      <h2>
        {role}: <State text={action ?? 'held'} />
        {reason ? `: ${reason}` : ''}
      </h2>
      <p class="soft">{verdict && `${verdict.category} · profile ${verdict.profile} · scan ${scanId ?? ''}`}</p>
      {problem === undefined ? undefined : <ProblemBox problem={problem} />}
      <p class="long-text" dir="auto">
        {partsOf(content, released, action).map(({ text, kind }, at) => (
          <span key={at} class={TONES[kind]}>
            {kind === 'released' ? undefined : <b>{kind}: </b>}
            {text}
          </span>
        ))}
      </p>
    </div>
  );
}
