/** Parses JSON bodies in the single way in which all readers of a request see the same. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonBounds, parseJsonText, tooManyValues } from '../../core/json-text.ts';
import { HttpError } from './responses/problems.ts';

/** Maximum size of a JSON body, in bytes. */
export const MAX_BODY_BYTES = 10_000_000;
/** Maximum members and elements of a JSON body: parsing more would delay other requests. */
export const MAX_VALUES = 50_000;

const BOUNDS: JsonBounds = { length: MAX_BODY_BYTES, values: MAX_VALUES, forbidden: ['__proto__', 'prototype'] };
const UTF8 = /^utf-?8$/i;

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
  const parsed = parseJsonText(text, { ...BOUNDS, halves });
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
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '') ?? [];
  if (!UTF8.test(charset)) throw new HttpError(415, 'content-type', 'The body is not UTF-8.', { hint: 'Send UTF-8.' });
  const { 'content-encoding': coding = 'identity' } = headers;
  if (coding.toLowerCase() === 'identity') return;
  throw new HttpError(415, 'content-type', 'The body has a Content-Encoding.', { hint: 'Send it as it is.' });
}

function utf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new HttpError(400, 'json', 'The body is not UTF-8.', { hint: 'Send UTF-8.' });
  }
}
