/** What the guard decided, and what a reader of an answer sees of it. */
import { partsOf } from './conversation.ts';
import { type Check, check, type Decision } from './guard-model.ts';
import { ProblemBox } from './parts.tsx';

/** Shows the last check. */
export function GuardResult() {
  const last = check.value;
  return (
    <section class="decided" aria-label="Decision" aria-live="polite">
      {last === undefined ? undefined : <Shown of={last} />}
    </section>
  );
}

function Shown({ of: { asked, decision, problem, released, isOver } }: { readonly of: Check }) {
  return (
    <>
      {problem === undefined ? undefined : (
        <>
          <ProblemBox problem={problem} />
          <p>There is no decision: let nothing pass.</p>
        </>
      )}
      {decision === undefined ? undefined : <DecisionCard decision={decision} />}
      {!isOver && asked.kind !== 'answer' ? <p class="soft">Asking…</p> : undefined}
      {asked.kind === 'answer' ? (
        <Answer sent={asked.text} released={released} isOver={isOver} end={decision?.action} />
      ) : undefined}
    </>
  );
}

const ACTIONS: Readonly<
  Record<Decision['action'], { readonly mark: string; readonly word: string; readonly class: string }>
> = {
  allow: { mark: '✓', word: 'ALLOW', class: 'good' },
  block: { mark: '✗', word: 'BLOCK', class: 'bad' },
  mask: { mark: '▒', word: 'MASK', class: 'masked' },
};

function DecisionCard({ decision }: { readonly decision: Decision }) {
  const { action, verdict, unscanned, scanId, ms, cached, text } = decision;
  const { mark, word, class: shade } = ACTIONS[action];
  const detectors = verdict?.detectors ?? [];
  const facts: readonly (readonly [string, string])[] = [
    ['Detectors', detectors.length === 0 ? 'none' : detectors.join(', ')],
    ['Category', verdict?.category ?? ''],
    ['Profile', verdict?.profile ?? ''],
    ['Time', `${ms} ms${cached ? ', from an earlier scan' : ''}`],
    ['Scan', scanId ?? ''],
  ];
  return (
    <div class={`decision ${shade}`}>
      <p class="verdict">
        <span aria-hidden="true">{mark}</span> <strong>{word}</strong>{' '}
        {unscanned === undefined
          ? detectors.length === 0
            ? undefined
            : `by ${detectors.join(', ')}`
          : `without a complete verdict: ${unscanned}`}
      </p>
      <dl>
        {facts
          .filter(([, value]) => value !== '')
          .map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
      </dl>
      {text === undefined ? undefined : (
        <p dir="auto">
          Use this text: <mark>{text}</mark>
        </p>
      )}
    </div>
  );
}

interface AnswerProps {
  readonly sent: string;
  readonly released: string;
  readonly isOver: boolean;
  /** Undefined until the guard has decided. */
  readonly end: Decision['action'] | undefined;
}

/** Shows which parts of an answer are released, held back, masked or blocked. */
function Answer({ sent, released, isOver, end }: AnswerProps) {
  const withheld = Math.max(0, sent.length - released.length);
  const counts = [
    `Released ${released.length} of ${sent.length} characters.`,
    isOver ? (end === 'block' ? `${withheld} are blocked.` : '') : `${withheld} are held back until they are scanned.`,
  ];
  return (
    <>
      <p>{counts.join(' ')}</p>
      <p class="answer" dir="auto">
        {partsOf(sent, released, end).map(({ text, kind }, at) => (
          <span key={`${at} ${kind}`} class={kind} title={kind}>
            {text}
          </span>
        ))}
      </p>
      <p class="soft legend">
        <span class="released">released</span> <span class="masked">masked</span> <span class="held">held back</span>{' '}
        <span class="blocked">blocked</span>
      </p>
    </>
  );
}
