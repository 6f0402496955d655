/** Shows the line. */
export function Line() {
  return <p></p>;
}
