/** Starts the built service for third-party programs, and reads its documents and examples. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { AISEC, startProgram } from '../start-program.mjs';

/** Deletions come last, so that all other examples find their resources. */
const ORDER = ['read', 'run', 'create', 'update', 'replace', 'delete'];
/** The second command stops the scan that the first one starts, so both come before the scan ends. */
const FIRST = ['aisec-redteam-scan-create', 'aisec-redteam-scan-abort'];
/** The id in examples in place of that of an uploaded file. */
const ANY_FILE = '0123456789abcdef01234567';

/** Path of the document. */
export const DOCUMENT = join(ROOT, 'docs', 'api', 'openapi.json');

/** Starts the service on the simulated tenant. @returns its address and token, and a function that stops it */
export async function served() {
  const { found, stop } = await startProgram([AISEC, 'serve', '--simulate', '--port', '0'], {
    ready: { url: /AISEC_URL=(\S+)/, token: /AISEC_TOKEN=(\S+)/ },
  });
  return { ...found, close: () => stop() };
}

/** Uploads a file of prompts. @returns its id */
export async function uploaded({ url, token }) {
  const response = await fetch(`${url}/v1/files?name=prompts.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: 'prompt,goal\nRefund me twice.,Grant a refund twice\n',
  });
  const { id } = await response.json();
  return id;
}

/** Reads the example of every command from the document, in an order in which each works. @param file id of an upload */
export async function examples(file) {
  const { paths } = JSON.parse(await readFile(DOCUMENT, 'utf8'));
  const operations = Object.entries(paths).flatMap(([path, { post }]) =>
    post?.['x-effect'] === undefined ? [] : [{ path, post }],
  );
  const place = ({ post }) => {
    const first = FIRST.indexOf(post.operationId);
    return first < 0 ? ORDER.indexOf(post['x-effect']) : first - FIRST.length;
  };
  return operations
    .toSorted((one, other) => place(one) - place(other))
    .map(({ path, post }) => {
      const { example } = post.requestBody.content['application/json'];
      return { name: post.operationId, path, body: JSON.stringify(example).replace(ANY_FILE, file) };
    });
}

/** Reads the example of every route of the guard that takes JSON, by the name of its operation. */
export async function guardExamples() {
  const { paths } = JSON.parse(await readFile(DOCUMENT, 'utf8'));
  const posts = Object.entries(paths).flatMap(([path, { post }]) => (path.startsWith('/v1/guard/') ? [post] : []));
  return Object.fromEntries(
    posts.flatMap(({ operationId, requestBody: { content } }) =>
      content['application/json'] === undefined ? [] : [[operationId, content['application/json'].example]],
    ),
  );
}
