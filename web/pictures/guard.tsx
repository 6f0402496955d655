/** Shows what the guard decides about a conversation. */
export function GuardView() {
  return <p></p>;
}
