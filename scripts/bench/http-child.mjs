/** What the HTTP service is compared with: a bare route of the same server, and the library in a process. */
import fastify from 'fastify';
import { importText } from '../bundle.mjs';

const [mode, size] = process.argv.slice(2);
await (mode === 'bare' ? serveBare(Number(size)) : answerCalls());

async function serveBare(bytes) {
  const app = fastify();
  const text = JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
  app.post('/v1/commands/:name', (_request, reply) => reply.type('application/json').send(text));
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send(app.server.address().port);
}

/** Runs scans on demand, and tells how many it ran a second. */
async function answerCalls() {
  const { createAisec } = await importText("export { createAisec } from './bin/library.ts';\n");
  const aisec = createAisec({ simulate: true });
  process.on('message', async ({ calls, width }) => {
    const start = process.hrtime.bigint();
    let left = calls;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await aisec.run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'hello' });
      }
    };
    await Promise.all(Array.from({ length: width }, lane));
    process.send(calls / (Number(process.hrtime.bigint() - start) / 1e9));
  });
  process.send(0);
}
