/** Serves one client on stdin and stdout. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { untilAborted } from '../../../node/stop.ts';
import type { Agent } from '../agent.ts';
import { serverOf } from '../server.ts';
import { BoundedLines, MAX_MESSAGE_BYTES } from './bounded-lines.ts';
import { refusalOf, tooLong } from './refusal.ts';

/** The streams of the protocol. */
export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
}

/** Serves until the signal, or until the client closes stdin. */
export async function overStdio(agent: Agent, { stdin, stdout, signal }: StdioStreams): Promise<void> {
  // Each pending answer waits for a full pipe to drain.
  stdout.setMaxListeners(0);
  const answer = (refusal: object) => stdout.write(`${JSON.stringify(refusal)}\n`);
  const lines = new BoundedLines(
    (id) => answer(tooLong(id)),
    (line) => {
      const refusal = refusalOf(line);
      if (refusal !== undefined) answer(refusal);
      return refusal === undefined;
    },
  );
  const closed = new Promise<void>((resolve) => lines.once('end', resolve).once('close', resolve));
  // A broken pipe closes without an `end` event.
  stdin.once('close', () => lines.end());
  // A line that was passed on is within the limit; the buffer of the transport must not refuse it with its line end.
  const options = { maxBufferSize: 2 * MAX_MESSAGE_BYTES };
  const handle = serveStdio(() => serverOf(agent), { transport: new StdioServerTransport(lines, stdout, options) });
  stdin.pipe(lines);
  await Promise.race([closed, untilAborted(signal)]);
  await handle.close();
  // Otherwise stdin would keep the process alive.
  stdin.unpipe(lines).pause();
}
