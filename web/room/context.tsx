/** Shows the context as a tree. */
export function ContextTree() {
  return <p></p>;
}
