/** Buttons that do something on this page. */
import type { ButtonHTMLAttributes } from 'preact';

export function Act({ on, ...rest }: ButtonHTMLAttributes & { on: () => unknown }) {
  return <button type="button" onClick={on} {...rest} />;
}

/** An action with a button for each of its forms. */
export function Acts({ verb, of }: { verb: string; of: readonly (readonly [form: string, act: () => unknown])[] }) {
  return (
    <span>
      {verb}:
      {of.map(([form, act]) => (
        <Act key={form} class="plain" aria-label={`${verb} ${form}`} on={act}>
          {form}
        </Act>
      ))}
    </span>
  );
}
