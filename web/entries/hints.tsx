/** Shows why something failed, and hints with their commands as buttons. */
import { setLine } from '../line/state.ts';
import { hintParts } from '../line/text.ts';
import { commands } from '../state.ts';
import type { Problem } from '../types.ts';
import { Act } from './act.tsx';
import { visible } from './cells.ts';
import { LongText } from './json.tsx';

export function ProblemView({ problem: { detail, hint } }: { problem: Problem }) {
  return (
    <div class="entry-problem">
      <p class="problem">
        ✗ <LongText text={detail} />
      </p>
      {hint === undefined ? undefined : <Hint text={hint} />}
    </div>
  );
}

/** A sentence whose commands are buttons that put them into the line. */
export function Hint({ text }: { text: string }) {
  return (
    <span dir="auto">
      {hintParts(text, (name) => commands.value.has(name)).map((part, at) =>
        'line' in part ? (
          <Act key={at} title="Put into the line" on={() => setLine(part.line)}>
            <code>{visible(part.line)}</code>
          </Act>
        ) : (
          visible(part.text)
        ),
      )}
    </span>
  );
}
