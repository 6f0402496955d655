/** The guard, live: what it decides about a prompt, a conversation or an answer, and why. */
import { useEffect } from 'preact/hooks';
import { Act } from '../entries/act.tsx';
import { State } from '../entries/cell.tsx';
import { textOf } from '../entries/cells.ts';
import { commands } from '../state.ts';
import { partsOf } from './conversation.ts';
import { ask, check, type Decision, stopCheck } from './guard-model.ts';
import { Load, ProblemBox, recordsOf } from './parts.tsx';

const SCAN = 'aisec-runtime-scan';

/** Shows the guard. */
export function GuardView() {
  useEffect(() => stopCheck, []);
  return (
    <>
      <h1>Guard</h1>
      <p>See what the guard decides before a text enters or leaves an application.</p>
      {commands.value.has(SCAN) ? (
        <Load what="the profiles" load={(signal) => recordsOf('aisec-runtime-profiles-list', signal)}>
          {(profiles) => <GuardForm profiles={profiles.map(({ name }) => textOf(name))} />}
        </Load>
      ) : (
        <p>This token may not run {SCAN}, so it cannot ask the guard.</p>
      )}
      <GuardResult />
    </>
  );
}

function GuardForm({ profiles }: { readonly profiles: readonly string[] }) {
  const { decision, problem } = check.value ?? {};
  const isBusy = check.value !== undefined && decision === undefined && problem === undefined;
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement, event.submitter);
    void ask(String(form.get('profile')), String(form.get('text')), form.has('answer'));
  };
  return (
    <form class="inputs" onSubmit={onSubmit}>
      <label for="profile">Profile</label>
      <input id="profile" name="profile" list="profiles" required defaultValue={profiles[0] ?? ''} />
      <datalist id="profiles">
        {profiles.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label for="guarded">A prompt, a conversation with lines such as "user: Hello", or the answer of a model</label>
      <textarea id="guarded" name="text" rows={7} required dir="auto" />
      <div class="tools">
        <button type="submit" class="primary" disabled={isBusy}>
          Check as input
        </button>
        <button type="submit" name="answer" disabled={isBusy}>
          Stream as answer
        </button>
        <Act disabled={!isBusy} on={stopCheck}>
          Stop
        </Act>
      </div>
    </form>
  );
}

/** What the guard decided, and what a reader of an answer sees of it. */
function GuardResult() {
  const { answer, released = '', decision, problem } = check.value ?? {};
  return (
    <section aria-label="Decision" aria-live="polite">
      {problem === undefined ? undefined : <ProblemBox problem={problem} />}
      {decision === undefined ? undefined : <DecisionCard decision={decision} />}
      {answer === undefined ? undefined : <Answer parts={partsOf(answer, released, decision?.action)} />}
    </section>
  );
}

function DecisionCard({ decision }: { readonly decision: Decision }) {
  const { action, verdict, unscanned, scanId, ms, cached, text } = decision;
  const { detectors = [], category, profile } = verdict ?? {};
  const reason = unscanned === undefined ? detectors.join(', ') : `${unscanned}, without a complete verdict`;
  const facts = [
    category,
    profile && `profile ${profile}`,
    cached ? 'from an earlier scan' : `${ms} ms`,
    scanId && `scan ${scanId}`,
  ];
  return (
    <div class="decision">
      <h2>
        <State text={action} /> {reason === '' ? '' : `by ${reason}`}
      </h2>
      <p dir="auto">{facts.filter((fact) => fact !== undefined).join(' · ')}</p>
      {text === undefined ? undefined : <p dir="auto">Use this text: {text}</p>}
    </div>
  );
}

/** Shows which parts of an answer are released, held back, masked or blocked. */
function Answer({ parts }: { readonly parts: ReturnType<typeof partsOf> }) {
  return (
    <>
      <p class="tools">
        {['released', 'held', 'masked', 'blocked'].map((kind) => (
          <span key={kind} class={kind}>
            {kind}
          </span>
        ))}
      </p>
      <p class="answer" dir="auto">
        {parts.map(({ text, kind }, at) => (
          <span key={at} class={kind}>
            {text}
          </span>
        ))}
      </p>
    </>
  );
}
