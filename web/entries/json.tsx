/** Shows a value as a tree that opens step by step. */
import { useState } from 'preact/hooks';
import { cut, titleText, visible } from './cells.ts';

/** Members that a step shows at first. */
const FIRST = 100;
const TEXT_LENGTH = 500;

export function Json({ value, name, isOpen = false }: { value: unknown; name?: string; isOpen?: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const [limit, setLimit] = useState(FIRST);
  if (typeof value !== 'object' || value === null) {
    return (
      <p class="json-leaf">
        <Name name={name} />
        {typeof value === 'string' ? <LongText text={value} /> : <code>{String(value)}</code>}
      </p>
    );
  }
  const members = Object.entries(value);
  const isList = Array.isArray(value);
  return (
    <details class="json-tree" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="soft">{isList ? `list of ${members.length}` : `${members.length} fields`}</span>
      </summary>
      {open ? members.slice(0, limit).map(([key, member]) => <Json key={key} name={key} value={member} />) : undefined}
      {open && members.length > limit ? (
        <button type="button" onClick={() => setLimit(limit * 5)}>
          Show more of {members.length}
        </button>
      ) : undefined}
    </details>
  );
}

function Name({ name }: { name: string | undefined }) {
  return name === undefined ? null : (
    <span class="soft" dir="auto">
      {titleText(name)}:{' '}
    </span>
  );
}

/** Shows the beginning of a long text, and the whole on demand. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > TEXT_LENGTH;
  return (
    <>
      <span class="long-text" dir="auto">
        {visible(isWhole ? text : cut(text, TEXT_LENGTH))}
      </span>{' '}
      {isLong ? (
        <button type="button" class="plain" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${text.length} characters`}
        </button>
      ) : undefined}
    </>
  );
}
