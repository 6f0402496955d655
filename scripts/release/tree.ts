/** Reads the state of the repository from git. */
import { listed, type Problem } from '../checks.ts';
import { outputOf } from '../processes.ts';

/** Lists the tags. */
export function tagsOf(root: string): string[] {
  return lines(outputOf('git', ['tag', '--list'], { cwd: root }));
}

/** Checks that nothing is changed or new. */
export function treeOutcome(root: string): string | Problem {
  const status = lines(outputOf('git', ['status', '--porcelain'], { cwd: root }));
  if (status.length > 0) {
    const paths = status.map((line) => line.slice(3));
    return { found: `Not committed: ${listed(paths)}.`, remedy: 'Commit it, or remove it.' };
  }
  return `clean at ${outputOf('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).trim()}`;
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
