/** A minimal scan with Node's own HTTP client. */
const http = require('node:http');
const { AISEC_SCANNER_BASE_URL, AISEC_RUNTIME_API_KEY } = process.env;

const body = JSON.stringify({ ai_profile: { profile_name: 'prod' }, contents: [{ prompt: 'hello' }] });
const headers = { 'content-type': 'application/json', 'x-pan-token': AISEC_RUNTIME_API_KEY };
const sent = http.request(`${AISEC_SCANNER_BASE_URL}/v1/scan/sync/request`, { method: 'POST', headers }, (answer) => {
  let text = '';
  answer.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  answer.on('end', () => {
    process.exitCode = answer.statusCode === 200 ? 0 : 1;
    process.stdout.write(`${text}\n`);
  });
});
sent.end(body);
