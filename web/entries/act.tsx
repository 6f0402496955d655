/** A button that does something on this page. */
import type { ButtonHTMLAttributes } from 'preact';

export function Act({ on, ...rest }: ButtonHTMLAttributes & { on: () => unknown }) {
  return <button type="button" onClick={on} {...rest} />;
}
