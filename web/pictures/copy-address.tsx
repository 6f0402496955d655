/** Copies the address of the view. */
import { useSignal } from '@preact/signals';

/** A button that copies the address; where the browser refuses, it shows the address. */
export function CopyAddress() {
  const said = useSignal('');
  const copy = () =>
    Promise.resolve(location.href)
      // The clipboard is missing without TLS, except on the own machine.
      .then((address) => navigator.clipboard.writeText(address))
      .then(
        () => 'Copied',
        () => location.href,
      )
      .then((text) => {
        said.value = text;
      });
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy address
      </button>
      <span role="status">{said.value}</span>
    </>
  );
}
