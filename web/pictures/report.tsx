/** Shows the report of a scan. */
export function ReportView() {
  return <p></p>;
}
