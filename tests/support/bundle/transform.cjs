/** Passes jest the bundle of a test file, written by `setup.mjs`. */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');

const ROOT = join(__dirname, '..', '..', '..');

const bundleOf = (path) =>
  path.endsWith('.cjs')
    ? path
    : join(process.env.TEST_BUNDLES, relative(join(ROOT, 'tests'), path).replace(/\.ts$/, '.cjs'));

module.exports = {
  process: (_source, path) => {
    const bundle = bundleOf(path);
    const map = JSON.parse(readFileSync(`${bundle}.map`, 'utf8'));
    // Jest shows the lines of a failure only if the source path is absolute.
    map.sources = map.sources.map((source) => resolve(dirname(bundle), source));
    return { code: readFileSync(bundle, 'utf8'), map };
  },
  getCacheKey: (_source, path) =>
    createHash('sha256')
      .update(readFileSync(bundleOf(path)))
      .digest('hex'),
};
