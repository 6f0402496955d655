/** Shows the playbooks, and a playbook as a graph. */
export function PlaybooksView() {
  return <p></p>;
}
