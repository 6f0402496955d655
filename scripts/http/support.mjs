/** What the checks of the HTTP service share: the built program, its documents, and the examples in their order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

/** What is deleted last was there for all others. */
const ORDER = ['read', 'run', 'create', 'update', 'replace', 'delete'];
/** The second one stops the scan that the first one starts: it has to be the first, and it must not have ended. */
const FIRST = ['aisec-redteam-scan-create', 'aisec-redteam-scan-abort'];
/** The id in examples in place of that of an uploaded file. */
const ANY_FILE = '0123456789abcdef01234567';

/** Returns the path of a document, such as `openapi.json`. */
export function documentPath(name) {
  // The older formats are written by the build.
  return name === 'openapi.json' ? join(ROOT, 'docs', 'api', name) : join(ROOT, 'dist', 'api', name);
}

/** Starts the service on the simulated tenant. @returns its address and token, and a function that stops it */
export async function served() {
  const { child, found, close } = await started(
    [join(ROOT, 'dist', 'aisec.cjs'), 'serve', '--simulate', '--port', '0'],
    {
      url: /AISEC_URL=(\S+)/,
      token: /AISEC_TOKEN=(\S+)/,
    },
  );
  child.stdout.resume();
  return { ...found, close };
}

/**
 * Starts a Node program, and waits until it has written what is looked for.
 * @param patterns by the names of what they find
 * @throws Error with what it wrote, if it ends before
 */
export async function started(words, patterns) {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const close = async () => {
    child.kill();
    await ended;
  };
  let text = '';
  const found = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      text += String(chunk);
      const entries = Object.entries(patterns).map(([name, pattern]) => [name, pattern.exec(text)?.[1]]);
      if (entries.every(([, value]) => value !== undefined)) resolve(Object.fromEntries(entries));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    ended.then(() => reject(new Error(`${words[0]} ended: ${text.slice(-2000)}`)));
  });
  return { child, found, close };
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
  const { paths } = JSON.parse(await readFile(documentPath('openapi.json'), 'utf8'));
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
