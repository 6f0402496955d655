/** How packages become part of the command line's bundle. */
import { ROOT } from './root.mjs';

/** CommonJS packages that are loaded lazily, by name. */
const LAZY = /^(?:pino|https-proxy-agent|yaml)$/;

/**
 * A lazily imported CommonJS package would come out of the bundle with a default export only, where Node also finds
 * the names in it. This gives it the names that Node finds.
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
