/** esbuild plugin for packages in the command line's bundle. */
import { ROOT } from './root.mjs';

/**
 * Gives lazily imported packages the form that they have in Node, which detects the names that a CommonJS package exports,
 * and takes all that it exports as the default. esbuild alone knows neither.
 */
export const namedExports = {
  name: 'named-exports',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ importer, kind, path }) => {
      if (kind !== 'dynamic-import' || /^node:|[\\/]node_modules[\\/]/.test(`${path}\n${importer}`)) return undefined;
      // For a module of this name, esbuild imports as Node does.
      return { path: `${path}.mjs`, namespace: 'named-exports' };
    });
    build.onLoad({ filter: /.*/, namespace: 'named-exports' }, async ({ path }) => {
      const name = path.replace(/\.mjs$/, '');
      const names = Object.keys(await import(name)).filter((each) => /^(?!__esModule$)\w+$/.test(each));
      return { contents: `export { ${names.join(', ')} } from '${name}';\n`, resolveDir: ROOT };
    });
  },
};
