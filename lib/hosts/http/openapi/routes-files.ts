/** Routes of files. */
import type { JsonSchema } from '../../../manifest/schema.ts';
import { pathParameter, queryParameter } from './parameters.ts';
import { jsonResponse, listOf, objectOf, problems, refTo } from './parts.ts';

const FILE_ID = '6b1f0c27d3e9a4851c0b7d10';

const EXAMPLE_FILE = {
  id: FILE_ID,
  name: 'prompts.csv',
  size: 61,
  contentType: 'text/csv',
  url: `/v1/files/${FILE_ID}`,
};

const BYTES = { type: 'string', format: 'binary' };
const id = pathParameter('id', 'Identifier of the file.', FILE_ID);

/** Operations by path. */
export const FILE_ROUTES: Readonly<Record<string, JsonSchema>> = {
  '/v1/files': {
    post: {
      operationId: 'uploadFile',
      tags: ['files'],
      summary: 'Upload a file.',
      description: 'Keeps a file of up to 2 GB, which is streamed. Its `id` is what arguments such as `entry_id` take.',
      parameters: [
        queryParameter('name', 'Name of the file.', {
          type: 'string',
          default: 'file',
          examples: ['prompts.csv'],
        }),
      ],
      requestBody: {
        description: 'The content, with any content type.',
        required: true,
        content: {
          'application/octet-stream': { schema: BYTES },
          'text/csv': { schema: BYTES },
          '*/*': { schema: BYTES },
        },
      },
      responses: {
        '201': jsonResponse('The file.', refTo('File'), EXAMPLE_FILE),
        ...problems(400, 401, 413, 429, 503),
      },
    },
    get: {
      operationId: 'listFiles',
      tags: ['files'],
      summary: 'List files.',
      description: 'Returns the files of the caller: those that were uploaded, and those that commands made.',
      responses: {
        '200': jsonResponse('The files.', objectOf({ files: listOf(refTo('File'), 'Files.') }), {
          files: [EXAMPLE_FILE],
        }),
        ...problems(401, 429),
      },
    },
  },
  '/v1/files/{id}': {
    get: {
      operationId: 'downloadFile',
      tags: ['files'],
      summary: 'Download a file.',
      description: 'Returns the content of a file, as an attachment under its name.',
      parameters: [id],
      responses: {
        '200': {
          description: 'The content.',
          headers: {
            'Content-Disposition': { description: '`attachment`, with the name.', schema: { type: 'string' } },
          },
          content: { 'application/octet-stream': { schema: BYTES } },
        },
        ...problems(401, 404, 429),
      },
    },
    delete: {
      operationId: 'deleteFile',
      tags: ['files'],
      summary: 'Delete a file.',
      description: 'Removes a file of the caller.',
      parameters: [id],
      responses: { '204': { description: 'The file was deleted.' }, ...problems(401, 404, 429) },
    },
  },
};
