/** What the guard decided, and what a reader of an answer sees of it. */
import { partsOf } from './conversation.ts';
import { check, type Decision } from './guard-model.ts';
import { ProblemBox } from './parts.tsx';

/** Shows the last check. */
export function GuardResult() {
  const { answer, released = '', decision, problem } = check.value ?? {};
  return (
    <section aria-label="Decision" aria-live="polite">
      {problem === undefined ? undefined : <ProblemBox problem={problem} />}
      {decision === undefined ? undefined : <DecisionCard decision={decision} />}
      {answer === undefined ? undefined : <Answer parts={partsOf(answer, released, decision?.action)} />}
    </section>
  );
}

const WORDS = { allow: '✓ ALLOW', block: '✗ BLOCK', mask: '▒ MASK' } as const;

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
    <div class={`decision ${action}`}>
      <p class="verdict">
        <strong>{WORDS[action]}</strong> {reason === '' ? '' : `by ${reason}`}
      </p>
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
