import type { Plugin } from 'esbuild';

/**
 * `@discordjs/rest` inherits from an event emitter that also waits for events. That package contains a copy of Node's
 * `util.inspect` for browsers: 80 KB, which every start of a worker evaluates. The client of this service only emits events
 * and listens to them, as the emitter of Node does. The relay's `@discordjs/ws` keeps the package.
 */
const EMITTER = /^@vladfrangu\/async_event_emitter$/;

const IN_REST = /[\\/]@discordjs[\\/]rest[\\/]dist[\\/]/;

/** Gives `@discordjs/rest` the event emitter of Node. */
export const nodeEventEmitter: Plugin = {
  name: 'node-event-emitter',
  setup(build) {
    build.onResolve({ filter: EMITTER }, ({ importer, path }) =>
      IN_REST.test(importer) ? { path, namespace: 'node-event-emitter' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'node-event-emitter' }, () => ({
      contents: "export { EventEmitter as AsyncEventEmitter } from 'node:events';",
    }));
  },
};
