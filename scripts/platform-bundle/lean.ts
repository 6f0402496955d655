/** Takes out of a declaration what the platform reads in the manifest, and no command needs while it runs. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import ts from 'typescript';
import { type Edit, edited } from './edits.ts';

/** Words whose first argument is a description, where they come from the files that define them. */
const DESCRIBED = new Set([
  ...['text', 'uuid', 'email', 'number', 'flag', 'list', 'uuids', 'file', 'time'],
  ...['string', 'boolean', 'date', 'unknown'],
]);
/** Properties that only documents are made of. */
const UNUSED = new Set(['example', 'members']);
const HOMES = /\/lib\/(declare|arguments\/words|output\/record|command)\.ts$/;
/** An argument that is missing is described to whoever left it out. */
const REQUIRED = /\brequired: true\b/;

/** Empties descriptions and summaries, and drops examples and documented members, in the files of `commands/` and `context/`. */
export const leanDeclarations: Plugin = {
  name: 'lean-declarations',
  setup(build) {
    build.onLoad({ filter: /[/\\](?:commands|context)[/\\].*\.ts$/ }, ({ path }) => ({
      contents: lean(readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** @param source the text of a TypeScript file */
export function lean(source: string): string {
  const file = ts.createSourceFile('declaration.ts', source, ts.ScriptTarget.ES2022, true);
  const cuts: Edit[] = [];
  const empty = (node: ts.Node | undefined) => {
    if (node !== undefined && ts.isStringLiteral(node)) cuts.push({ from: node.getStart(), to: node.end, by: "''" });
  };
  const words = importedWords(file);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && words.has(node.expression.text)) {
      const [description, ...options] = node.arguments;
      const isRequired = options.some((option) => REQUIRED.test(option.getText()));
      if (DESCRIBED.has(node.expression.text) && !isRequired) empty(description);
      if (node.expression.text === 'command') empty(node.arguments[1]);
    }
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && UNUSED.has(node.name.text)) {
      cuts.push({ from: node.initializer.getStart(), to: node.initializer.end, by: 'undefined' });
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return edited(source, cuts);
}

function importedWords(file: ts.SourceFile): Set<string> {
  const bindings = file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const named = statement.importClause?.namedBindings;
    return HOMES.test(statement.moduleSpecifier.text) && named !== undefined && ts.isNamedImports(named)
      ? named.elements.map(({ name }) => name.text)
      : [];
  });
  return new Set(bindings);
}
