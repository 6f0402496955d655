/** Checks the native bundle against the oldest supported engine: ES5 syntax, and roughly the ES2015 library. */
import { type AnyNode, parse } from 'acorn';

/** Globals that the platform provides to every script. */
export const REQUIRED_GLOBALS = ['params', 'args', 'command', 'http'] as const;
/** Globals that an older platform or a test engine may lack. */
export const OPTIONAL_GLOBALS = [
  ...(['log', 'logDebug', 'wait', 'getFileByEntryID', 'saveFile'] as const),
  ...(['getIntegrationContext', 'setIntegrationContext', 'getLastRun', 'setLastRun'] as const),
];

/** All globals that the bundle may use. */
const GLOBALS = new Set<string>([
  ...REQUIRED_GLOBALS,
  ...OPTIONAL_GLOBALS,
  ...['Array', 'Boolean', 'Date', 'Function', 'JSON', 'Map', 'Math', 'Number', 'Object', 'RegExp', 'Set', 'String'],
  ...['Symbol', 'Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['Infinity', 'NaN', 'undefined', 'isFinite', 'isNaN', 'parseFloat', 'parseInt', 'arguments'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'unescape'],
]);

/** Newer methods that neither `polyfill.ts` nor `promise.ts` provides. */
const METHODS = new Set([
  ...['matchAll', 'trimLeft', 'trimRight', 'isWellFormed', 'toWellFormed', 'findLastIndex', 'toSorted', 'toReversed'],
  ...['toSpliced', 'groupBy', 'withResolvers', 'allSettled', 'race', 'finally', 'hasOwn', 'findLast', 'padEnd'],
  ...['trimStart', 'trimEnd', 'replaceAll'],
]);

/**
 * Checks a function body.
 * @throws SyntaxError for syntax beyond ES5; Error with the functions that old engines lack
 */
export function checkEs5(text: string): void {
  const tree = parse(text, { ecmaVersion: 5, allowReturnOutsideFunction: true });
  const found = new Set<string>();
  visit(tree, undefined, found);
  // swc's helpers check for these names before they use them.
  for (const name of guarded(tree)) found.delete(name);
  if (found.size > 0)
    throw new Error(`The native bundle uses functions that old engines lack: ${[...found].sort().join(', ')}.`);
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

/** Lists the names that a node declares: parameters, the function's name, and inner declarations. */
function declaredIn(node: AnyNode): string[] {
  if (node.type === 'CatchClause') return nameOf(node.param);
  if (node.type === 'Program') return collect(node);
  if (node.type !== 'FunctionDeclaration' && node.type !== 'FunctionExpression') return [];
  return [...node.params.flatMap(nameOf), ...nameOf(node.id), ...collect(node.body)];
}

/** Lists the variables and functions in all blocks of one function. */
function collect(node: AnyNode): string[] {
  const own = node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration' ? nameOf(node.id) : [];
  return isFunction(node) ? own : [...own, ...children(node).flatMap(collect)];
}

/** Lists names that are guarded by `typeof`, or by a `try` with an empty `catch`. */
function guarded(node: AnyNode): string[] {
  if (node.type === 'UnaryExpression' && node.operator === 'typeof') return nameOf(node.argument);
  if (node.type === 'TryStatement' && node.handler?.body.body.length === 0) return named(node.block);
  return children(node).flatMap(guarded);
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

/** Lists child nodes, without names that are not references: members, keys and labels. */
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

/** Reports whether a value is a syntax node. */
export function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
