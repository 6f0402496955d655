/** Strips descriptions from declarations: the platform reads them from the manifest, and commands do not need them at run time. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import ts from 'typescript';
import { type Edit, rewriteSource } from './lower.ts';

/** Builders whose first argument is a description, if they are imported from `HOMES`. */
const DESCRIBED = new Set([
  ...['text', 'uuid', 'email', 'number', 'flag', 'list', 'uuids', 'file', 'time'],
  ...['string', 'boolean', 'date', 'unknown'],
]);
/** Properties that only the documentation uses. */
const UNUSED = new Set(['example', 'isList', 'members', 'returnsFile']);
/** Properties that only a terminal uses; they are removed, because even `undefined` costs bytes. */
const REMOVED = new Set(['lookup']);
const HOMES = /\/lib\/runtime\/(engine\/declare|arguments\/builders|output\/record|engine\/command)\.ts$/;
/** Arguments of `record()` when it declares a view. */
const RECORD_WITH_VIEW = 5;
/** Required arguments keep their descriptions, because the error message for a missing argument contains it. */
const REQUIRED = /\brequired: true\b/;

/** Modules that the platform never uses: it has no journals, no queue and no terminal summary. */
const OMITTED: Readonly<Record<string, string>> = {
  'runtime/bulk-scan/restore': 'export function fromJournal() {}\nexport function resumeNote() {}',
  'runtime/bulk-scan/spread': 'export function spreadRun() {}',
  'runtime/bulk-scan/tally': 'export const openTally = () => ({ add: () => {}, result: () => undefined });',
};

/**
 * Empties descriptions and summaries, and removes examples and documented members, in the files of `commands/` and
 * `context/`.
 */
export const stripDescriptions: Plugin = {
  name: 'lean-declarations',
  setup(build) {
    for (const [path, contents] of Object.entries(OMITTED)) {
      build.onLoad({ filter: new RegExp(`/commands/${path}\\.ts$`) }, () => ({ contents }));
    }
    build.onLoad({ filter: /[/\\](?:commands|context)[/\\].*\.ts$/ }, ({ path }) => ({
      contents: stripped(readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** Strips one file. @param source TypeScript */
export function stripped(source: string): string {
  const file = ts.createSourceFile('declaration.ts', source, ts.ScriptTarget.ES2022, true);
  const edits: Edit[] = [];
  const empty = (node: ts.Node | undefined) => {
    if (node !== undefined && ts.isStringLiteral(node)) edits.push({ from: node.getStart(), to: node.end, by: "''" });
  };
  const builders = importedBuilders(file);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && builders.has(node.expression.text)) {
      const [description, ...options] = node.arguments;
      const isRequired = options.some((option) => REQUIRED.test(option.getText()));
      if (DESCRIBED.has(node.expression.text) && !isRequired) empty(description);
      if (node.expression.text === 'command') empty(node.arguments[1]);
      // Except for its summary, a record's view is for terminals; the platform's page is wide.
      if (node.expression.text === 'record' && node.arguments.length === RECORD_WITH_VIEW) {
        edits.push({ from: node.arguments[3]?.end ?? 0, to: node.end - 1, by: summaryIn(node.arguments[4]) });
      }
    }
    if (isTerminalOnly(node)) {
      edits.push({ ...extentOf(node, source), by: '' });
      return;
    }
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && UNUSED.has(node.name.text)) {
      edits.push({ from: node.initializer.getStart(), to: node.initializer.end, by: 'undefined' });
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return rewriteSource(source, edits);
}

function summaryIn(view: ts.Node | undefined): string {
  const members = view !== undefined && ts.isObjectLiteralExpression(view) ? view.properties : [];
  const summary = members.find((member) => member.name?.getText() === 'summary');
  return summary === undefined ? '' : `, { ${summary.getText()} }`;
}

function isTerminalOnly(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node)) return ts.isIdentifier(node.name) && REMOVED.has(node.name.text);
  return ts.isImportDeclaration(node) && node.moduleSpecifier.getText().includes('/lookups.ts');
}

/** Returns the range to remove: a property with its comma, or the whole options object if it has no other property. */
function extentOf(node: ts.Node, source: string): { from: number; to: number } {
  const { parent } = node;
  if (ts.isObjectLiteralExpression(parent) && parent.properties.length === 1 && ts.isCallExpression(parent.parent)) {
    const before = parent.parent.arguments.at(-2);
    if (before !== undefined) return { from: before.end, to: parent.end };
  }
  const comma = ts.isPropertyAssignment(node) ? (/^\s*,/.exec(source.slice(node.end))?.[0] ?? '') : '';
  return { from: node.getStart(), to: node.end + comma.length };
}

function importedBuilders(file: ts.SourceFile): Set<string> {
  const bindings = file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const named = statement.importClause?.namedBindings;
    return HOMES.test(statement.moduleSpecifier.text) && named !== undefined && ts.isNamedImports(named)
      ? named.elements.map(({ name }) => name.text)
      : [];
  });
  return new Set(bindings);
}
