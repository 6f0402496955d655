/** Comparisons for the HTTP service: a bare route of the same server, and the library in a process. */
import fastify from 'fastify';
import { importText } from '../bundle.mjs';
import { repeated } from './measure.mjs';

const [mode, size] = process.argv.slice(2);
await (mode === 'bare' ? serveBare(Number(size)) : answerCalls());

async function serveBare(bytes) {
  const app = fastify();
  const text = JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
  app.post('/v1/commands/:name', (_request, reply) => reply.type('application/json').send(text));
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send(app.server.address().port);
}

/** Runs scans on demand, and reports their number per second. */
async function answerCalls() {
  const { createAisec } = await importText("export { createAisec } from './bin/library.ts';\n");
  const aisec = createAisec({ simulate: true });
  process.on('message', async ({ calls, width }) => {
    const scan = () => aisec.run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'hello' });
    process.send((await repeated(scan, { calls, width })).rate);
  });
  process.send(0);
}
