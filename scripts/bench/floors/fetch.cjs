/** A minimal scan with the global `fetch`. */
const { AISEC_SCANNER_BASE_URL, AISEC_RUNTIME_API_KEY } = process.env;

const body = JSON.stringify({ ai_profile: { profile_name: 'prod' }, contents: [{ prompt: 'hello' }] });
const headers = { 'content-type': 'application/json', 'x-pan-token': AISEC_RUNTIME_API_KEY };
fetch(`${AISEC_SCANNER_BASE_URL}/v1/scan/sync/request`, { method: 'POST', headers, body }).then(async (answer) => {
  process.exitCode = answer.status === 200 ? 0 : 1;
  process.stdout.write(`${await answer.text()}\n`);
});
