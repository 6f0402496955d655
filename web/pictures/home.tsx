/** Shows the first page: the dashboard of the tenant. */
export function Home() {
  return <p>Works offline, no account, nothing leaves this machine but calls to your service.</p>;
}
