/** Shows a value as a tree that opens step by step. */
import { useState } from 'preact/hooks';
import { plural } from '../../lib/core/text/numbers.ts';
import { putIntoLine } from '../line/state.ts';
import { pathTo } from '../line/text.ts';
import { Act } from './act.tsx';
import { cut, lineText, titleText, visible } from './cells.ts';
import { useKept } from './state.ts';

/** Members that a step shows at first. */
const FIRST = 100;
const TEXT_LENGTH = 500;

interface JsonProps {
  readonly value: unknown;
  readonly name?: string;
  /** Path of the value in the context: its name puts a reference into the line. */
  readonly path?: string | undefined;
  readonly isOpen?: boolean;
  /** Where the value is: what is opened there stays open. */
  readonly at?: string | undefined;
}

export function Json({ value, name, path, isOpen = false, at = name }: JsonProps) {
  const [open, setOpen] = useKept(`${at}`, isOpen);
  const [limit, setLimit] = useState(FIRST);
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const label =
    path === undefined ? (
      <span class="soft" dir="auto">
        {name === undefined ? '' : `${titleText(name)}: `}
      </span>
    ) : (
      <Act class="plain json-name" title={`Put \${${path}} into the line`} on={() => putIntoLine(`\${${path}}`)}>
        <code dir="auto">{titleText(`${name}`)}</code>
      </Act>
    );
  if (members.length === 0) {
    return (
      <p class="json-leaf">
        {label}
        {typeof value === 'string' ? <LongText text={value} /> : <code>{JSON.stringify(value)}</code>}
      </p>
    );
  }
  const isList = Array.isArray(value);
  const isReference = path !== undefined;
  return (
    <>
      {/* A button must not be inside the part that folds. */}
      {isReference ? label : undefined}
      <details class="json-tree" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {isReference ? undefined : label}
          <span class="soft" dir="auto">
            {titleOf(members) ?? (isList ? `list of ${members.length}` : plural(members.length, 'field'))}
          </span>
        </summary>
        {(open ? members.slice(0, limit) : []).map(([key, member], index) => (
          <Json {...{ key, name: key, value: member, at: `${at}/${key}` }} path={pathTo(path, isList ? index : key)} />
        ))}
        {open && members.length > limit && <Act on={() => setLimit(limit * 5)}>Show more of {members.length}</Act>}
      </details>
    </>
  );
}

/** An object's first name, so that the items of a list differ. */
function titleOf(members: readonly (readonly [string, unknown])[]): string | undefined {
  const [, title] = members.find(([key, member]) => /(?:^|_)name$/.test(key) && typeof member === 'string') ?? [];
  return title === undefined ? undefined : lineText(String(title));
}

/** Shows the beginning of a long text, and the whole on demand. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <span class="long-text" dir="auto">
        {visible(isWhole ? text : cut(text, TEXT_LENGTH))}
      </span>{' '}
      {text.length > TEXT_LENGTH && (
        <Act class="plain" on={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${text.length} characters`}
        </Act>
      )}
    </>
  );
}
