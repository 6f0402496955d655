/** The OpenAPI documents as files. */
import type { Command } from '../lib/engine/command.ts';
import { openApiOf } from '../lib/manifest/openapi/document.ts';
import { openApi30Of } from '../lib/manifest/openapi/openapi-30.ts';
import { swaggerOf } from '../lib/manifest/openapi/swagger.ts';

/** A value that fits in a line of this length stays on it. */
const LINE_WIDTH = 140;

/** Writes the documents: JSON texts by path. */
export function apiDocumentFiles(commands: readonly Command[], version: string): (readonly [string, string])[] {
  const document = openApiOf(commands, version);
  return [
    ['docs/api/openapi.json', readableJson(document)],
    ['docs/api/openapi-3.0.json', readableJson(openApi30Of(document))],
    ['docs/api/swagger.json', readableJson(swaggerOf(document))],
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
