/** The OpenAPI document as a file. */
import type { Command } from '../../lib/engine/command.ts';
import { openApiOf } from './document.ts';

/** A value that fits in a line of this length stays on it. */
const LINE_WIDTH = 140;

/** Writes the document: JSON text by path. */
export function apiDocumentFiles(commands: readonly Command[], version: string): (readonly [string, string])[] {
  return [['docs/api/openapi.json', readableJson(openApiOf(commands, version))]];
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
