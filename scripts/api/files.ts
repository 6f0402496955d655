/** The OpenAPI documents as files: 3.1 in the repository, and the older formats, which follow from it, in the package alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../lib/engine/command.ts';
import { type ApiDocument, openApiOf } from './document.ts';
import { openApi30Of } from './openapi-30.ts';
import { swaggerOf } from './swagger.ts';

/** A value that fits in a line of this length stays on it. */
const LINE_WIDTH = 140;

/** Path of the document from which the others follow. */
const DOCUMENT = 'docs/api/openapi.json';

/** Writes the document: JSON text by path. */
export function apiDocumentFiles(commands: readonly Command[], version: string): (readonly [string, string])[] {
  return [[DOCUMENT, readableJson(openApiOf(commands, version))]];
}

/** Derives the older formats. @param root the project's root @returns JSON texts by path in `dist/` */
export function olderDocumentFiles(root: string): (readonly [string, string])[] {
  const document = JSON.parse(readFileSync(join(root, DOCUMENT), 'utf8')) as ApiDocument;
  return [
    ['api/openapi-3.0.json', readableJson(openApi30Of(document))],
    ['api/swagger.json', readableJson(swaggerOf(document))],
  ];
}

function readableJson(value: unknown): string {
  return `${lines(value, '')}\n`;
}

/** Writes small values on one line, and larger ones with one line for each member. */
function lines(value: unknown, indent: string): string {
  const short = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + short.length <= LINE_WIDTH) return short;
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => `${inner}${lines(each, inner)}`).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(([key, each]) => `${inner}${JSON.stringify(key)}: ${lines(each, inner)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}
