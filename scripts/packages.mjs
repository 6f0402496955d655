/** esbuild plugin for packages in the command line's bundle. */
import { ROOT } from './root.mjs';

/** CommonJS packages that are imported lazily. */
const LAZY = /^(?:pino|https-proxy-agent|yaml)$/;

/**
 * Adds named exports to lazily imported CommonJS packages. esbuild gives them a default export only, while Node also detects
 * their names.
 */
export const namedExports = {
  name: 'named-exports',
  setup(build) {
    build.onResolve({ filter: LAZY }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, namespace: 'named-exports' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'named-exports' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default' && /^\w+$/.test(name));
      const contents = `import all from '${path}';\nexport default all;\nexport const { ${names.join(', ')} } = all;\n`;
      return { contents, resolveDir: ROOT };
    });
  },
};
