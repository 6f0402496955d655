/** Shows the running and ended jobs. */
export function JobsView() {
  return <p></p>;
}
