/** Copies the address of the view. */
import { useSignal } from '@preact/signals';

/** A button that copies the address; where the browser refuses, it shows the address to copy by hand. */
export function CopyAddress() {
  const state = useSignal<'' | 'copied' | 'refused'>('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      state.value = 'copied';
    } catch {
      state.value = 'refused';
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy address
      </button>
      <span role="status">{state.value === 'copied' ? 'Copied' : ''}</span>
      {state.value === 'refused' ? (
        <input
          class="address"
          readOnly
          aria-label="Address"
          value={location.href}
          onFocus={(event) => event.currentTarget.select()}
        />
      ) : undefined}
    </>
  );
}
