/** Shows one value: a verdict with its mark, a short id, an age. */
import { ageOf } from '../../lib/runtime/select/printed.ts';
import type { TableColumn } from '../types.ts';
import { isMoment, isUuid, lineText, markedState, textOf, titleText } from './cells.ts';
import { now } from './state.ts';

/** A state: mark, word and colour. */
export function State({ text }: { text: string }) {
  const { sign, tone, word } = markedState(text);
  return (
    <span class={`state ${tone ?? ''}`}>
      {sign} {lineText(word)}
    </span>
  );
}

/** A value in a row: short, with the whole as a tooltip. */
export function Cell({ value, column: { kind } }: { value: unknown; column: TableColumn }) {
  const text = textOf(value);
  if (text === '') return null;
  if (kind === 'state') return <State text={text} />;
  if (isMoment(text, kind)) return <time title={text}>{ageOf(text, now.value)}</time>;
  // The style cuts an id: whoever copies it gets the whole.
  if (isUuid(text)) {
    return (
      <code class="short-id" title={text}>
        {text}
      </code>
    );
  }
  return <span title={titleText(text)}>{lineText(text)}</span>;
}
