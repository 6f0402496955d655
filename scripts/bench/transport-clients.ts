/** HTTP clients to compare: one small POST by this project's transport and by two others. */
import http from 'node:http';
import ky from 'ky';
import { nodeTransport } from '../../lib/transport/node.ts';

export interface Client {
  readonly title: string;
  /** Sends the request. @returns the response body */
  call(): Promise<string>;
  close(): Promise<void>;
}

const headers = {
  'content-type': 'application/json',
  accept: 'application/json',
  authorization: 'Bearer not-a-secret',
};
const body = JSON.stringify({ prompt: 'Please summarise the attached report for the regional sales meeting.' });

/** Opens the clients. The others are compared with the first one. */
export function openClients(url: string): Client[] {
  return [bare(url), ours(url), global(url)];
}

function ours(url: string): Client {
  const transport = nodeTransport({ insecure: false, proxy: false });
  return {
    title: 'AiSec',
    call: async () => (await transport.send({ method: 'POST', url, headers, body, timeoutMs: 60_000 })).body,
    close: () => transport.close(),
  };
}

/** The base of the transport: no ky, timeouts, cancellation, size limits or detailed errors. */
function bare(url: string): Client {
  const agent = new http.Agent({ keepAlive: true, scheduling: 'lifo', timeout: 4000 });
  return {
    title: 'bare `node:http`',
    call: () =>
      new Promise((resolve, reject) => {
        const sent = http.request(url, { method: 'POST', headers, agent }, (answer) => {
          const pieces: Buffer[] = [];
          answer.on('data', (piece: Buffer) => pieces.push(piece));
          answer.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: async () => agent.destroy(),
  };
}

function global(url: string): Client {
  return {
    title: 'ky over the global `fetch`',
    call: () => ky.post(url, { headers, body, retry: 0, timeout: 60_000 }).text(),
    close: async () => undefined,
  };
}
