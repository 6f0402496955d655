/** esbuild plugin for packages in the command line's bundle. */
import { ROOT } from './root.mjs';

/**
 * Gives lazily imported packages the same form as in Node, which detects the export names of a CommonJS package, and
 * makes all its exports the default export. esbuild does neither.
 */
export const namedExports = {
  name: 'named-exports',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ importer, kind, path }) => {
      if (kind !== 'dynamic-import' || /^node:|[\\/]node_modules[\\/]/.test(`${path}\n${importer}`)) return undefined;
      // For a module with this name, esbuild imports as Node does.
      return { path: `${path}.mjs`, namespace: 'named-exports' };
    });
    build.onLoad({ filter: /.*/, namespace: 'named-exports' }, async ({ path }) => {
      const name = path.replace(/\.mjs$/, '');
      const names = Object.keys(await import(name)).filter((each) => /^(?!__esModule$)\w+$/.test(each));
      return { contents: `export { ${names.join(', ')} } from '${name}';\n`, resolveDir: ROOT };
    });
  },
};
