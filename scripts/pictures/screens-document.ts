/** Writes the index of the pictures. */
import { typed } from './draw.ts';
import type { View } from './views.ts';

const TITLES: Readonly<Record<string, string>> = {
  terminal: 'Views of the terminal',
  runtime: 'Runtime',
  guardrails: 'Guardrails',
  dlp: 'Data loss prevention',
  'red-team': 'Red team',
  'model-security': 'Model security',
};

/** Renders the index: each picture below the command that made it. */
export function screensDocument(views: readonly View[]): string {
  const families = Object.keys(TITLES).map(
    (family) => [family, views.filter((view) => view.family === family)] as const,
  );
  return [
    '# Screens',
    '',
    'What the terminal shows for every command, and its own views, at 80, 120 and 200 columns; widths with the same text',
    'share one picture, and a picture has at most 60 lines. `npm run pictures` draws them from the output of the program on the',
    'simulated service, at one fixed time. The files in the commands are in `scripts/pictures/own-views.ts`.',
    '',
    families.map(([family, { length }]) => `[${TITLES[family]}](#${anchor(family)}) (${length})`).join(' · '),
    ...families.flatMap(([family, members]) => ['', `## ${TITLES[family]}`, ...members.flatMap(sectionOf)]),
    '',
  ].join('\n');
}

function sectionOf(view: View): string[] {
  return ['', `### ${view.name}`, '', '```', typed(view), '```', '', `![${view.name}](${view.name}.svg)`];
}

function anchor(family: string): string {
  return (TITLES[family] ?? '').toLowerCase().replace(/ /g, '-');
}
