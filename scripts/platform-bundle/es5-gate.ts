/** Holds the native bundle against the oldest engine it must run on: the grammar of ES5, and a library of about ES2015. */
import { type AnyNode, parse } from 'acorn';

/** What the platform gives every script. */
export const REQUIRED_GLOBALS = ['params', 'args', 'command', 'http'] as const;
/** What an older or a testing platform may lack. */
export const OPTIONAL_GLOBALS = [
  ...(['log', 'logDebug', 'wait', 'getFileByEntryID', 'saveFile'] as const),
  ...(['getIntegrationContext', 'setIntegrationContext'] as const),
];

/** All that the bundle may take from its surroundings. */
const GLOBALS = new Set<string>([
  ...REQUIRED_GLOBALS,
  ...OPTIONAL_GLOBALS,
  ...['Array', 'Boolean', 'Date', 'Function', 'JSON', 'Map', 'Math', 'Number', 'Object', 'RegExp', 'Set', 'String'],
  ...['Symbol', 'Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['Infinity', 'NaN', 'undefined', 'isFinite', 'isNaN', 'parseFloat', 'parseInt', 'arguments'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'unescape'],
]);

/** Methods of later libraries that `polyfill.ts` does not provide. */
const METHODS = new Set([
  ...['matchAll', 'trimLeft', 'trimRight', 'isWellFormed', 'toWellFormed', 'findLastIndex', 'toSorted', 'toReversed'],
  ...['toSpliced', 'groupBy', 'withResolvers'],
]);

/**
 * @param text a function body
 * @throws SyntaxError for what ES5 cannot parse; Error that names what an old engine lacks
 */
export function checkEs5(text: string): void {
  const tree = parse(text, { ecmaVersion: 5, allowReturnOutsideFunction: true });
  const found = new Set<string>();
  visit(tree, undefined, found);
  // What lowering adds asks for these before it uses them.
  for (const name of askedFor(tree)) found.delete(name);
  if (found.size > 0) throw new Error(`The native bundle uses what old engines lack: ${[...found].sort().join(', ')}.`);
}

interface Scope {
  readonly names: ReadonlySet<string>;
  readonly outer: Scope | undefined;
}

function isDeclared(name: string, scope: Scope | undefined): boolean {
  return scope !== undefined && (scope.names.has(name) || isDeclared(name, scope.outer));
}

function visit(node: AnyNode, scope: Scope | undefined, found: Set<string>): void {
  if (node.type === 'Identifier') {
    if (!GLOBALS.has(node.name) && !isDeclared(node.name, scope)) found.add(node.name);
    return;
  }
  if (node.type === 'MemberExpression' && node.property.type === 'Identifier' && METHODS.has(node.property.name)) {
    found.add(`.${node.property.name}()`);
  }
  const declared = declaredIn(node);
  const inner = declared.length === 0 ? scope : { names: new Set(declared), outer: scope };
  for (const child of children(node)) visit(child, inner, found);
}

/** The names that a node brings into scope: parameters, a function's own name, and what is declared inside. */
function declaredIn(node: AnyNode): string[] {
  if (node.type === 'CatchClause') return nameOf(node.param);
  if (node.type === 'Program') return collect(node);
  if (node.type !== 'FunctionDeclaration' && node.type !== 'FunctionExpression') return [];
  return [...node.params.flatMap(nameOf), ...nameOf(node.id), ...collect(node.body)];
}

/** Variables and functions of one function, at any depth of its blocks. */
function collect(node: AnyNode): string[] {
  const own = node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration' ? nameOf(node.id) : [];
  return isFunction(node) ? own : [...own, ...children(node).flatMap(collect)];
}

/** Names that stand behind a `typeof`, or where it is tried whether they are there. */
function askedFor(node: AnyNode): string[] {
  if (node.type === 'UnaryExpression' && node.operator === 'typeof') return nameOf(node.argument);
  if (node.type === 'TryStatement' && node.handler?.body.body.length === 0) return named(node.block);
  return children(node).flatMap(askedFor);
}

function named(node: AnyNode): string[] {
  return [...nameOf(node), ...children(node).flatMap(named)];
}

function nameOf(node: AnyNode | null | undefined): string[] {
  return node?.type === 'Identifier' ? [node.name] : [];
}

function isFunction({ type }: AnyNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression';
}

/** The nodes below a node, without names that are no references: members, keys and labels. */
function children(node: AnyNode): AnyNode[] {
  const skipped = new Set<string>();
  if (node.type === 'MemberExpression' && !node.computed) skipped.add('property');
  if (node.type === 'Property' && !node.computed) skipped.add('key');
  if (/^(Labeled|Break|Continue)/.test(node.type)) skipped.add('label');
  return Object.entries(node)
    .filter(([name]) => !skipped.has(name))
    .flatMap(([, value]): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

/** Is it a part of a syntax tree? */
export function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
