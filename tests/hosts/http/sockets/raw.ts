/** Raw sockets to a server on loopback, for requests that no HTTP client would send. */
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/folder.ts';
import { makeCertificate } from '../../../unit/transport/certificate.ts';

/** Creates a certificate, and writes the certificate and its key to files. */
export function tlsFor(...hosts: string[]) {
  const folder = temporaryFolder('tls');
  const certificate = makeCertificate({ hosts });
  const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(tls.cert, certificate.cert);
  writeFileSync(tls.key, certificate.key);
  return { tls, ca: certificate.cert };
}

/** Opens a connection. */
export function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Waits until the other end closes, and returns everything it sent. */
export function closed(socket: Socket): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('close', () => resolve(text));
    socket.on('error', () => resolve(text));
  });
}

/** Reads until the text matches, or the other end closes. */
export function received(socket: Socket, wanted: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    const look = (chunk: Buffer) => {
      text += String(chunk);
      if (!wanted.test(text)) return;
      socket.off('data', look);
      resolve(text);
    };
    socket.on('data', look);
    socket.on('close', () => resolve(text));
    socket.on('error', () => resolve(text));
  });
}

/** Sends a text on a new connection, and returns everything the server sent before closing it. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const socket = await opened(port);
  const answer = closed(socket);
  socket.write(text);
  return answer;
}

/** The parts of one response. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Splits the text of one response. */
export function responseIn(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: text.slice(end + '\r\n\r\n'.length),
  };
}
