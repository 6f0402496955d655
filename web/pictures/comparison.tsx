/** Shows two scans side by side. */
export function ComparisonView() {
  return <p></p>;
}
