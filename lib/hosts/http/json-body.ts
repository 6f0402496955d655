/** Parses JSON bodies in the single way in which all readers of a request see the same. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJsonText, RECEIVED, tooManyValues } from '../../core/json-text.ts';
import { codingProblem, utf8Text } from '../../node/request-form.ts';
import { HttpError } from './responses/problems.ts';

/** Maximum size of a JSON body, in bytes. */
export const MAX_BODY_BYTES = RECEIVED.length;
/** Maximum members and elements of a JSON body. */
export const MAX_VALUES = RECEIVED.values;

/** Lets this scope take JSON, and nothing else. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    checkCoding(request);
    return jsonIn(utf8(body));
  });
}

/**
 * Parses a JSON text.
 * @param halves halves of surrogate pairs are text, because the other half may follow in the next piece
 * @throws HttpError where readers may differ, such as for a member twice
 */
export function jsonIn(text: string, halves = false): unknown {
  const parsed = parseJsonText(text, { ...RECEIVED, halves });
  if (!('error' in parsed)) return parsed.value;
  const { line, column, message } = parsed.error;
  if (message === tooManyValues(MAX_VALUES)) {
    throw new HttpError(413, 'size', `The body has more than ${MAX_VALUES} values.`, {
      hint: 'Send large inputs as files: POST /v1/files, and pass the id in entry_id.',
    });
  }
  throw new HttpError(400, 'json', `The body is not valid JSON: line ${line}, column ${column}: ${message}.`, {
    hint: 'Send one JSON object, and no member twice.',
  });
}

function checkCoding({ headers }: FastifyRequest): void {
  const problem = codingProblem(headers);
  if (problem !== undefined)
    throw new HttpError(problem.status, 'content-type', problem.message, { hint: problem.hint });
}

function utf8(body: Buffer): string {
  const text = utf8Text(body);
  if (text === undefined) throw new HttpError(400, 'json', 'The body is not UTF-8.', { hint: 'Send UTF-8.' });
  return text;
}
