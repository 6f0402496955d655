/** `/v1/files`: uploaded files for arguments, and files that commands created. Both are streamed. */
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { ShelvedFile } from '../../../node/files/file-shelf.ts';
import { keepBytes } from '../../../node/files/files.ts';
import { ownerKey } from '../../../runs/port.ts';
import { permits } from '../../../runs/rights.ts';
import { requestOwner } from '../access/rights.ts';
import { limited } from '../body.ts';
import { HttpError, notFound, notNow } from '../problems.ts';
import { stopping } from '../responses/answer.ts';
import { fileDocument } from '../responses/run-document.ts';
import { idOf, jsonResponse, listResponse, refTo, route } from '../route.ts';
import type { Service } from '../service.ts';

/** Maximum size of an uploaded file, in bytes. */
const MAX_FILE_BYTES = 2_000_000_000;
/** Time after which a silent sender is disconnected, in milliseconds. */
const SILENCE_MS = 30_000;

const FILE_ID = '6b1f0c27d3e9a4851c0b7d10';
const EXAMPLE_FILE = {
  id: FILE_ID,
  name: 'prompts.csv',
  size: 61,
  contentType: 'text/csv',
  url: `/v1/files/${FILE_ID}`,
};
const BYTES = { schema: { type: 'string', format: 'binary' } };

const params = idOf('file', FILE_ID);

const uploadFile = route('POST', '/v1/files', 'uploadFile', {
  summary: 'Upload a file.',
  description: 'Keeps a file of up to 2 GB, which is streamed. Arguments such as `entry_id` take its `id`.',
  query: { name: { type: 'string', default: 'file', examples: ['prompts.csv'], description: 'Name of the file.' } },
  stream: {
    maxBytes: MAX_FILE_BYTES,
    requestBody: {
      description: 'The content, with any content type.',
      required: true,
      content: { 'application/octet-stream': BYTES, 'text/csv': BYTES, '*/*': BYTES },
    },
  },
  responses: { 201: jsonResponse('The file.', refTo('File'), EXAMPLE_FILE) },
  problems: [413, 503],
  handle: async (service, request, reply) => {
    if (service.stopping.aborted) throw stopping();
    if (Number(request.headers['content-length']) > MAX_FILE_BYTES) {
      // Close the connection, because the body is not read.
      void reply.header('connection', 'close');
      throw new HttpError(413, 'size', `A file has at most ${MAX_FILE_BYTES} bytes.`);
    }
    const { directory, shelf, files, key } = ownOf(service, request);
    // Refuse before anything is read.
    files.take(key, 0);
    const leave = service.uploads.enter(key);
    if (leave === undefined) {
      throw new HttpError(429, 'rate-limit', 'Too many uploads are open.', {
        headers: { 'retry-after': '10', connection: 'close' },
        retryable: true,
      });
    }
    const type = (request.headers['content-type'] ?? 'application/octet-stream').slice(0, 100);
    const bytes = (request.body as unknown as Readable | undefined | null) ?? request.raw;
    request.raw.setTimeout(SILENCE_MS, () => request.raw.destroy());
    let taken = 0;
    const count = (size: number) => {
      files.take(key, size);
      taken += size;
    };
    const counted = pipeline(bytes, limited(MAX_FILE_BYTES, count), () => undefined);
    const kept = await keepBytes(directory)(request.query.name, type, counted).finally(() => {
      files.give(key, taken);
      leave();
    });
    const file = shelf.add(kept, key);
    return reply.code(201).header('location', `/v1/files/${file.id}`).send(fileDocument(file));
  },
});

const listFiles = route('GET', '/v1/files', 'listFiles', {
  summary: 'List files.',
  description: 'Returns the files of the caller: uploaded files, and files that commands made.',
  responses: { 200: listResponse('files', 'File', [EXAMPLE_FILE]) },
  handle: (service, request) => {
    const { shelf, key, mayUse } = ownOf(service, request);
    return { files: shelf.list(key).filter(mayUse).map(fileDocument) };
  },
});

const downloadFile = route('GET', '/v1/files/{id}', 'downloadFile', {
  summary: 'Download a file.',
  description: 'Returns the content of a file, as an attachment under its name.',
  params,
  responses: {
    200: {
      description: 'The content.',
      headers: { 'Content-Disposition': { description: '`attachment`, with the name.', schema: { type: 'string' } } },
      content: { 'application/octet-stream': BYTES },
    },
  },
  handle: async (service, request, reply) => {
    const { file } = find(service, request);
    const { size } = (await stat(file.path).catch(() => undefined)) ?? {};
    if (size === undefined) throw notFound('file');
    return reply
      .type('application/octet-stream')
      .header('content-length', size)
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`)
      .send(createReadStream(file.path));
  },
});

const deleteFile = route('DELETE', '/v1/files/{id}', 'deleteFile', {
  summary: 'Delete a file.',
  description: 'Removes a file of the caller.',
  params,
  responses: { 204: { description: 'The file was deleted.' } },
  handle: async (service, request, reply) => {
    const { file, shelf } = find(service, request);
    await rm(file.path, { force: true });
    shelf.remove(file.id);
    return reply.code(204).send();
  },
});

export const FILE_ROUTES = [uploadFile, listFiles, downloadFile, deleteFile];

function ownOf({ tenants, catalogue }: Service, request: FastifyRequest) {
  const owner = requestOwner(request, catalogue);
  const permitted = permits(owner.limits, catalogue);
  const mayUse = ({ madeBy }: ShelvedFile) => madeBy === undefined || permitted(madeBy);
  return { ...tenants.of(owner), key: ownerKey(owner), mayUse };
}

/** Finds the file of a request. @throws HttpError for an unknown file, or a file that the caller may not use */
function find(service: Service, request: FastifyRequest<{ Params: { readonly id: string } }>) {
  const { shelf, key, mayUse } = ownOf(service, request);
  const file = shelf.find(request.params.id, key);
  if (file === undefined) throw notFound('file', 'List yours with GET /v1/files.');
  if (!mayUse(file)) throw notNow('file', file.madeBy ?? '', 'Ask an administrator of the service for the right.');
  return { file, shelf };
}
