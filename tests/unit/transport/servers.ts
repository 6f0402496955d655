/** Small servers on 127.0.0.1, closed after the test that opened them. */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { Certificate } from './certificate.ts';

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

export interface Server {
  port: number;
  /** Host and port, as an error names them. */
  host: string;
  /** Connections that are open now. */
  open(): number;
}

const closers: (() => Promise<void>)[] = [];

/** Registers the hook; call it once per test file. */
export function closeServersAfterEach(): void {
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
  });
}

export function serveHttp(answer: Answer): Promise<Server> {
  return listen(http.createServer(answer));
}

export function serveHttps(certificate: Certificate, answer: Answer): Promise<Server> {
  return listen(https.createServer(certificate, answer));
}

export function serveSockets(accept: (socket: net.Socket) => void): Promise<Server> {
  return listen(
    net.createServer((socket) => {
      // A socket notices its end only while it is being read.
      socket.resume();
      accept(socket);
    }),
  );
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = net.createServer();
  const { port } = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** TLS in front of a server on another port of this machine. */
export function serveTls(certificate: Certificate, port: number): Promise<Server> {
  return listen(
    tls.createServer(certificate, (client) => {
      const target = net.connect(port, '127.0.0.1', () => {
        target.pipe(client).pipe(target);
      });
      target.on('error', () => client.destroy());
      client.on('error', () => undefined).on('close', () => target.destroy());
    }),
  );
}

export interface ProxyServer extends Server {
  /** Target of the CONNECT request. */
  readonly targets: string[];
  /** The credentials that it received. */
  readonly credentials: (string | undefined)[];
}

/** A proxy that sends every connection to one port on this machine, whatever host the client requests. */
export async function serveProxy(port: number, refuse?: number): Promise<ProxyServer> {
  const targets: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = http.createServer((_, response) => response.writeHead(500).end());
  server.on('connect', (request: http.IncomingMessage, client: Duplex) => {
    targets.push(request.url ?? '');
    credentials.push(request.headers['proxy-authorization']);
    client.on('error', () => undefined);
    if (refuse !== undefined) return client.end(`HTTP/1.1 ${refuse} No\r\ncontent-length: 0\r\n\r\n`);
    const target = net.connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
    return undefined;
  });
  return { ...(await listen(server)), targets, credentials };
}

async function listen(server: net.Server): Promise<Server> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, host: `127.0.0.1:${port}`, open: () => sockets.size };
}
