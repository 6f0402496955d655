/** A button that does something on this page. */
import type { ButtonHTMLAttributes } from 'preact';

export function Act({ on, ...rest }: ButtonHTMLAttributes & { on: () => void }) {
  return <button type="button" onClick={on} {...rest} />;
}
