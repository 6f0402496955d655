/** Tagged templates as calls: lowered by themselves, each would become a function of its own that makes its list of texts. */
import { type AnyNode, parse } from 'acorn';

/** @param source a script whose tags look at the texts alone, not at how they were written */
export function untagged(source: string): string {
  const found: { from: number; to: number; by: string }[] = [];
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
  return found
    .sort((one, other) => other.from - one.from)
    .reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), source);
}

function visit(node: AnyNode, see: (node: AnyNode) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see);
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
