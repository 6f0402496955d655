/** Lowers syntax for which swc would emit long code, and replaces ranges of a source text. */
import { type AnyNode, type ForOfStatement, parse } from 'acorn';
import { isNode } from './es5-gate.ts';

/** A replaced range of a source text. */
export interface Edit {
  /** Start of the replaced range. */
  readonly from: number;
  /** End of the replaced range, exclusive. */
  readonly to: number;
  readonly by: string;
}

/** Applies edits. @param edits in any order, without overlaps */
export function rewriteSource(source: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.from - one.from)
    .reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), source);
}

/**
 * Lowers tagged templates to calls; swc would emit a helper function for each template.
 * @param source a script whose tags do not use raw strings
 */
export function lowerTemplates(source: string): string {
  const found: Edit[] = [];
  visit(parse(source, { ecmaVersion: 2022 }), (node) => {
    if (node.type !== 'TaggedTemplateExpression') return;
    const { tag, quasi } = node;
    const texts = JSON.stringify(quasi.quasis.map(({ value }) => value.cooked));
    const values = quasi.expressions.map(({ start, end }) => source.slice(start, end));
    found.push({
      from: node.start,
      to: node.end,
      by: `${source.slice(tag.start, tag.end)}(${[texts, ...values].join(', ')})`,
    });
  });
  return rewriteSource(source, found);
}

/**
 * Lowers `for...of` loops that declare their variable; swc would close each iterator in three nested blocks, which only
 * generators need.
 * @param source a script without generators
 */
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

/** Edits around the iterated value and the body, because they may contain other loops. */
function editsOf(source: string, { left, right, body }: ForOfStatement, index: number): Edit[] {
  const [iterator, step] = [`iterator_${index}`, `step_${index}`];
  const next = `)[Symbol.iterator](), ${step}; !(${step} = ${iterator}.next()).done;)`;
  return [
    { from: left.start, to: right.start, by: `let ${iterator} = (` },
    { from: right.end, to: body.start, by: `${next} { ${source.slice(left.start, left.end)} = ${step}.value; ` },
    { from: body.end, to: body.end, by: ' }' },
  ];
}

/** Calls a function with a node, and with all nodes inside. */
function visit(node: AnyNode, see: (node: AnyNode) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see);
  }
}
