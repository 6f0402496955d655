/** What the guard decided, and what a reader of an answer sees of it. */
import { partsOf } from './conversation.ts';
import { type Check, check, type Decision } from './guard-model.ts';
import { ProblemBox } from './parts.tsx';

/** Shows the last check. */
export function GuardResult() {
  const last = check.value;
  return (
    <section aria-label="Decision" aria-live="polite">
      {last?.problem === undefined ? undefined : <ProblemBox problem={last.problem} />}
      {last?.decision === undefined ? undefined : <DecisionCard decision={last.decision} />}
      {last?.asked.kind === 'answer' ? <Answer of={last} /> : undefined}
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
function Answer({ of: { asked, released, decision } }: { readonly of: Check }) {
  const parts = partsOf(asked.text, released, decision?.action);
  return (
    <>
      <p class="soft">
        {(['released', 'masked', 'held', 'blocked'] as const).map((kind) => (
          <span key={kind}>
            <span class={kind}>{kind}</span>{' '}
            {parts.reduce((sum, part) => sum + (part.kind === kind ? part.text.length : 0), 0)}{' '}
          </span>
        ))}
        characters
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
