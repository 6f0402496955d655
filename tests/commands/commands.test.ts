/** Checks every command. A single file, because each command's arguments are compiled once per file. */
import './answers.ts';
import './declarations.ts';
import './lists.ts';
import './stories.ts';
import { due } from '../contract/commands.ts';
import { describeGoldens } from './golden.ts';
import { allGoldens } from './goldens.ts';

const goldens = allGoldens();

/** Commands whose goldens are in a separate file. */
const ELSEWHERE = ['aisec-runtime-bulk-scan'];
/** Commands that read or write files have their own tests. */
const FILES = [
  'aisec-redteam-report-download',
  'aisec-redteam-prompt-sets-download',
  'aisec-redteam-prompt-sets-upload',
];

test('every command has a golden', () => {
  const commands = due.map(({ command }) => command).filter((name) => ![...ELSEWHERE, ...FILES].includes(name));
  expect([...new Set(goldens.map(({ command }) => command))].sort()).toEqual(commands.sort());
});

describeGoldens(goldens);
