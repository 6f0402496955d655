/** What holds for every command. In one file, because each command's arguments are compiled once a file. */
import './answers.ts';
import './declarations.ts';
import './lists.ts';
import './stories.ts';
import { due } from '../contract/commands.ts';
import { describeGoldens } from './golden.ts';
import { allGoldens } from './goldens.ts';

const goldens = allGoldens();

/** A file of its own has its goldens. */
const ELSEWHERE = ['aisec-runtime-bulk-scan'];
/** Commands of files, with tests of their own. */
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
