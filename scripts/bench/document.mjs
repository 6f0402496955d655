/** docs/benchmarks.md: sections by heading. Each script replaces those that it measured, and leaves the others as they are. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

const FILE = join(ROOT, 'docs', 'benchmarks.md');

const HEAD = `# Benchmarks

Written by \`npm run bench\`, and by the scripts that a section names: run them to have the figures of your own machine. Each script
replaces its own sections and leaves the others. Ratios are medians of several runs that take turns with what they are compared to.
`;

/**
 * Replaces sections of docs/benchmarks.md by heading. Together they stand, in the order given, where the first of them stood;
 * when all of them are new, they come last.
 * @param sections each begins with `## `
 */
export function keepSections(sections) {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  writeFileSync(FILE, withSections(before, sections));
}

/** The text of the document with sections replaced. */
export function withSections(document, sections) {
  const given = new Set(sections.map(headingOf));
  const there = sectionsOf(document);
  const first = there.findIndex((section) => given.has(headingOf(section)));
  const place = first < 0 ? there.length : first;
  const others = (part) => part.filter((section) => !given.has(headingOf(section)));
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
