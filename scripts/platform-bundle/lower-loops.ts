/**
 * Lowers loops over iterators; swc would close each iterator in three nested blocks, which only generators need, and the
 * bundle has none.
 */
import { type ForOfStatement, parse } from 'acorn';
import { visit } from './lower-templates.ts';
import { type Edit, rewriteSource } from './rewrite-source.ts';

/** Lowers all loops that declare their variable. @param source a script without generators */
export function lowerLoops(source: string): string {
  const loops: ForOfStatement[] = [];
  visit(parse(source, { ecmaVersion: 2022 }), (node) => {
    if (node.type === 'ForOfStatement' && node.left.type === 'VariableDeclaration') loops.push(node);
  });
  return rewriteSource(
    source,
    loops.flatMap((loop, index) => editsOf(source, loop, index)),
  );
}

/** Edits around the iterated value and the body, which may have loops of their own. */
function editsOf(source: string, { left, right, body }: ForOfStatement, index: number): Edit[] {
  const [iterator, step] = [`iterator_${index}`, `step_${index}`];
  const next = `)[Symbol.iterator](), ${step}; !(${step} = ${iterator}.next()).done;)`;
  return [
    { from: left.start, to: right.start, by: `let ${iterator} = (` },
    { from: right.end, to: body.start, by: `${next} { ${source.slice(left.start, left.end)} = ${step}.value; ` },
    { from: body.end, to: body.end, by: ' }' },
  ];
}
