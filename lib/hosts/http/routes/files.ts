/** `/v1/files`: files for arguments, and files that commands made. Both stream; none is held in memory. */
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ShelvedFile } from '../../../node/files/file-shelf.ts';
import { keepBytes } from '../../../node/files/files.ts';
import { ownerKey } from '../../../runs/port.ts';
import { permits } from '../../../runs/rights.ts';
import { stopping } from '../answer.ts';
import { checkMembers, limited } from '../body.ts';
import { callerOf } from '../guard.ts';
import { ownerOf } from '../owner.ts';
import { HttpError, notFound, notNow } from '../problems.ts';
import { fileDocument } from '../run-document.ts';
import type { Service } from '../service.ts';

/** Maximum size of a file that is sent, in bytes. */
export const MAX_FILE_BYTES = 2_000_000_000;
/** A sender that is silent for so long is gone, in milliseconds. */
const SILENCE_MS = 30_000;

interface ById {
  Params: { id: string };
}

/** Adds the routes, in a scope of their own: their bodies are not parsed. */
export async function fileRoutes(
  app: FastifyInstance,
  { tenants, catalogue, stopping: ending }: Service,
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  const ownOf = (request: FastifyRequest) => {
    const owner = ownerOf(callerOf(request), catalogue);
    const permitted = permits(owner.limits, catalogue);
    const mayUse = ({ madeBy }: ShelvedFile) => madeBy === undefined || permitted(madeBy);
    return { ...tenants.of(owner), key: ownerKey(owner), mayUse };
  };
  const find = (request: FastifyRequest<ById>) => {
    const { shelf, key, mayUse } = ownOf(request);
    const file = shelf.find(request.params.id, key);
    if (file === undefined) throw notFound('file', 'List yours with GET /v1/files.');
    if (!mayUse(file)) throw notNow('file', file.madeBy ?? '', 'Ask an administrator of the service for the right.');
    return { file, shelf };
  };

  app.post<{ Querystring: Readonly<Record<string, unknown>> }>(
    '/v1/files',
    { config: { streams: true }, bodyLimit: MAX_FILE_BYTES },
    async (request, reply) => {
      if (ending.aborted) throw stopping();
      checkMembers(request.query, ['name'], 'query parameter');
      if (Number(request.headers['content-length']) > MAX_FILE_BYTES) {
        // Its body is not read.
        void reply.header('connection', 'close');
        throw new HttpError(413, 'size', `A file has at most ${MAX_FILE_BYTES} bytes.`);
      }
      const { directory, shelf, files, key } = ownOf(request);
      // Refuse before anything is read.
      files.take(key, 0);
      const name = String(request.query['name'] ?? 'file');
      const type = (request.headers['content-type'] ?? 'application/octet-stream').slice(0, 100);
      const bytes = (request.body as Readable | undefined | null) ?? request.raw;
      request.raw.setTimeout(SILENCE_MS, () => request.raw.destroy());
      let taken = 0;
      const count = (size: number) => {
        files.take(key, size);
        taken += size;
      };
      const counted = pipeline(bytes, limited(MAX_FILE_BYTES, count), () => undefined);
      const kept = await keepBytes(directory)(name, type, counted).finally(() => files.give(key, taken));
      const file = shelf.add(kept, key);
      return reply.code(201).header('location', `/v1/files/${file.id}`).send(fileDocument(file));
    },
  );

  app.get('/v1/files', async (request) => {
    const { shelf, key, mayUse } = ownOf(request);
    return { files: shelf.list(key).filter(mayUse).map(fileDocument) };
  });

  app.get<ById>('/v1/files/:id', async (request, reply) => {
    const { file } = find(request);
    // One that somebody removed from the directory is none.
    const { size } = (await stat(file.path).catch(() => undefined)) ?? {};
    if (size === undefined) throw notFound('file');
    return reply
      .type('application/octet-stream')
      .header('content-length', size)
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`)
      .send(createReadStream(file.path));
  });

  app.delete<ById>('/v1/files/:id', async (request, reply) => {
    const { file, shelf } = find(request);
    await rm(file.path, { force: true });
    shelf.remove(file.id);
    return reply.code(204).send();
  });
}
