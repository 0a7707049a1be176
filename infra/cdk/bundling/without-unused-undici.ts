import type { Plugin } from 'esbuild';

/**
 * The modules of undici that its entry point needs for `Agent` and `Dispatcher.request`, as the entry point imports them.
 * Everything else it imports is left out: fetch, web sockets, caches, interceptors, mocks, proxies and the global
 * dispatcher. Without the last one, Node's own `fetch` keeps its dispatcher.
 *
 * With everything the worker has 255 KB more and takes longer to start: `test/infra/cdk/bundling` measures the size. To use
 * another part of undici, add it here.
 */
const USED = /^\.\/lib\/(?:api|core\/(?:errors|util)|dispatcher\/(?:agent|client|dispatcher|pool))$/;

/**
 * Modules that the used ones load only on demand: the Fetch API's request bodies (this service sends strings and bytes),
 * and the experimental parser that `UNDICI_USE_MILO` chooses.
 */
const ON_DEMAND = /^\.\.\/(?:web|milo)\//;

const ENTRY_POINT = /[\\/]node_modules[\\/]undici[\\/]index\.js$/;
const IN_UNDICI = /[\\/]node_modules[\\/]undici[\\/]lib[\\/]/;

/**
 * Leaves the modules above out of the bundle. The source imports the public entry point of `undici`. A call of a part that
 * was left out throws an error that names this file.
 */
export const withoutUnusedUndici: Plugin = {
  name: 'undici-without-unused-modules',
  setup(build) {
    build.onResolve({ filter: /^\.\.?\// }, ({ importer, path }) =>
      (ENTRY_POINT.test(importer) && !USED.test(path)) || (IN_UNDICI.test(importer) && ON_DEMAND.test(path))
        ? { path, namespace: 'unused-undici' }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'unused-undici' }, ({ path }) => ({
      contents: createPlaceholder(path),
    }));
  },
};

/** Returns a CommonJS module whose every export throws when it is called. */
function createPlaceholder(path: string): string {
  const message = `${path} of undici is not in this bundle. See infra/cdk/bundling/without-unused-undici.ts`;
  return `
    const fail = () => { throw new Error(${JSON.stringify(message)}); };
    // The entry point creates one while it loads.
    class CacheStorage {}
    module.exports = new Proxy(fail, { get: (_, name) => (name === 'CacheStorage' ? CacheStorage : fail) });
  `;
}
