/** Writes docs/benchmarks.md by section: each script replaces the sections that it measured. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

/** The document. */
export const FILE = join(ROOT, 'docs', 'benchmarks.md');

const HEAD = `# Benchmarks

Written by \`npm run bench\` and the scripts named in the sections; run them to measure your own machine. Each script replaces only its own sections.
Figures are medians of interleaved rounds, with the interquartile range in parentheses unless the section says otherwise.
`;

/**
 * Replaces sections of docs/benchmarks.md by heading. They are placed together, in this order, where the first of them was;
 * new sections come last.
 * @param sections each begins with `## `
 */
export function keepSections(sections) {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  writeFileSync(FILE, withSections(before, sections));
}

/** Returns the document with sections replaced. */
export function withSections(document, sections) {
  const replaced = new Set(sections.map(headingOf));
  const there = sectionsOf(document);
  const first = there.findIndex((section) => replaced.has(headingOf(section)));
  const place = first < 0 ? there.length : first;
  const others = (part) => part.filter((section) => !replaced.has(headingOf(section)));
  const all = [HEAD, ...others(there.slice(0, place)), ...sections, ...others(there.slice(place))];
  return `${all.map((part) => part.trimEnd()).join('\n\n')}\n`;
}

function sectionsOf(document) {
  return document.split(/^(?=## )/m).filter((part) => part.startsWith('## '));
}

function headingOf(section) {
  const heading = /^## (.+)/.exec(section)?.[1]?.trim();
  if (heading === undefined) throw new Error(`A section begins with its heading, not with: ${section.slice(0, 80)}`);
  return heading;
}
