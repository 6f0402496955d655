/** Lowers tagged templates to calls; swc would emit a helper function for each template. */
import { type AnyNode, parse } from 'acorn';
import { isNode } from './es5-gate.ts';
import { type Edit, rewriteSource } from './rewrite-source.ts';

/** Lowers all templates. @param source a script whose tags do not use raw strings */
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

/** Calls a function with a node, and with all nodes inside. */
export function visit(node: AnyNode, see: (node: AnyNode) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see);
  }
}
