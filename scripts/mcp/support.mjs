/** Starts the program over HTTP for third-party programs, and forwards their requests with its token. */
import { createServer, request } from 'node:http';
import { AISEC, startProgram } from '../start-program.mjs';

/** The program without an account. */
export const WORDS = [AISEC, 'mcp', '--simulate'];

/** Starts the program over HTTP. @returns its address and token, and a function that stops it */
export async function served() {
  const { found, stop } = await startProgram([...WORDS, '--http', '0'], {
    ready: { url: /(http:\S+)/, token: /Bearer ([\w-]+)/ },
  });
  return { ...found, close: () => stop() };
}

/**
 * Listens on loopback for programs that cannot send a token, and adds it to their requests. All other headers stay, because the
 * server must check `Host` and `Origin`.
 */
export async function forwarder({ url, token }) {
  const target = new URL(url);
  const server = createServer((incoming, outgoing) => {
    const forwarded = request(
      {
        host: target.hostname,
        port: target.port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...incoming.headers, authorization: `Bearer ${token}` },
        setHost: false,
      },
      (response) => {
        outgoing.writeHead(response.statusCode, response.headers);
        response.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}${target.pathname}`, close };
}
