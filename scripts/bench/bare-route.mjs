/** Serves a route of the server's library that only answers, with so many bytes. */
import fastify from 'fastify';

const [bytes] = process.argv.slice(2);
const text = JSON.stringify({ text: 'x'.repeat(Number(bytes) - '{"text":""}'.length) });
const app = fastify();
app.post('/v1/commands/:name', (_request, reply) => reply.type('application/json').send(text));
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
