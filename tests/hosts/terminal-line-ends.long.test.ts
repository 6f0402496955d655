/** Where a line ends: at LF or CR LF, in every reader of lines, and on every version of Node.js. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folder.ts';
import { nodes } from '../support/nodes.ts';
import { ended, program, start } from '../support/program.ts';
import { hasTerminal, openTerminal } from '../support/tmux.ts';
import { scenario } from '../system/scenarios/claims.ts';

const path = program({ withCatalogue: true });
const SEPARATORS = ['\u2028', '\u2029', '\u0085', '\u000b', '\u000c', '\u001e', '\r'];
const LIST = '!aisec-runtime-topics-list';

const run = (node: string, words: readonly string[], input = '', folder = temporaryFolder('lines')) =>
  ended(start(path, ['--simulate', ...words], { folder, node, input, environment: {} }));

describe.each(nodes().map((node) => ({ node })))('on $node', ({ node }) => {
  const scanned = async (file: string, text: string) => {
    const folder = temporaryFolder('lines');
    writeFileSync(join(folder, file), text);
    const line = ['runtime-bulk-scan', 'profile_name=prod', `entry_id=${file}`, '--output', 'context'];
    const { stdout } = await run(node, line, '', folder);
    return (JSON.parse(stdout) as { results: { prompt: string }[] }).results.map(({ prompt }) => prompt);
  };

  scenario('line-ends', 'a pipe runs no command behind another separator inside a value', async () => {
    const lines = SEPARATORS.map((each) => `!aisec-runtime-scan profile_name=prod prompt="Hi${each}${LIST} limit=1"`);
    const input = [...lines, ...SEPARATORS.map((each) => `# ${each}${LIST}`)].join('\n');
    const { stdout, code } = await run(node, ['--output', 'json'], input);
    const results = stdout
      .trim()
      .split('\n')
      .map((each) => (JSON.parse(each) as { command: string }).command);
    expect({ code, results }).toEqual({ code: 0, results: lines.map(() => 'aisec-runtime-scan') });
  });

  scenario('line-ends', 'a pipe ends a line at LF, CR LF and its end', async () => {
    const { stdout, code } = await run(node, ['--output', 'json'], `${LIST} limit=1\r\n\n${LIST} limit=2`);
    expect({ code, count: stdout.trim().split('\n').length }).toEqual({ code: 0, count: 2 });
  });

  scenario('line-ends', 'a file of prompts keeps other separators inside a prompt', async () => {
    const prompts = [...SEPARATORS.map((each) => `one${each}two`), 'last'];
    expect(await scanned('a.txt', prompts.join('\r\n'))).toEqual(prompts);
    const rows = prompts.flatMap((prompt) => [`1,${prompt}`, `2,"${prompt}"`]);
    const twice = prompts.flatMap((prompt) => [prompt, prompt]);
    expect(await scanned('a.csv', ['id,prompt', ...rows].join('\r\n'))).toEqual(twice);
    // JSON has the others as they are.
    const plain = prompts.filter((prompt) => Array.from(prompt).every((each) => each >= ' '));
    const records = plain.map((prompt) => `\r{"prompt":"${prompt}"}`);
    expect(await scanned('a.jsonl', records.join('\n'))).toEqual(plain);
  });

  const inTerminal = hasTerminal ? test : test.skip;
  inTerminal('the war room runs no command behind a separator of a pasted line', async () => {
    const room = openTerminal([node, path, '--simulate'], { folder: temporaryFolder('room'), columns: 200 });
    await room.see('aisec (simulated)>');
    for (const separator of SEPARATORS.slice(0, 2)) {
      room.type(`runtime-topics-get topic_name=none${separator}${LIST} limit=1`);
      room.press('Enter');
      await room.see('belongs to no argument');
      expect(room.screen()).not.toContain('1 custom topic');
      room.press('C-l');
    }
  });
});
