/** Tagged templates as calls: lowered by themselves, each would become a function of its own that makes its list of texts. */
import { type AnyNode, parse } from 'acorn';
import { type Edit, edited } from './edits.ts';
import { isNode } from './es5-gate.ts';

/** @param source a script whose tags look at the texts alone, not at how they were written */
export function untagged(source: string): string {
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
  return edited(source, found);
}

function visit(node: AnyNode, see: (node: AnyNode) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see);
  }
}
