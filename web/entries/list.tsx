/** Shows the entries of the room. */
export function Entries() {
  return <p></p>;
}
