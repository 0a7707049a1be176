import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

/**
 * Modules that Bolt loads for features that the Slack front does not use: its servers for HTTP, Lambda and socket mode,
 * OAuth, the deprecated Assistant, functions of workflows, and a store of conversations in memory. Names as Bolt imports them. In the bundle they are empty. No other bundle contains
 * Bolt.
 *
 * With all of them the front has 1.6 MB and starts five times as slowly. To use one, take it out of this list and run
 * `npm run bench -- front`.
 */
const EMPTY =
  /^(?:@slack\/(?:oauth|types)|\.\/(?:Assistant|CustomFunction|conversation-store|receivers\/.+))$/;

/**
 * The front calls Slack only to open a modal, with small requests of its own (`posts/open-modal.ts`), so Bolt's Web API
 * client has a placeholder that rejects every use and says why. The client has 63 KB.
 */
const WEB_API = /^@slack\/web-api$/;
const WEB_API_PLACEHOLDER = join(import.meta.dirname, 'slack-web-api.ts');

/** Of its own description Bolt needs its name and version alone, which it sends with requests to Slack. */
const PACKAGE = /[\\/]@slack[\\/]bolt[\\/]package\.json$/;
const packageShape = v.object({ name: v.string(), version: v.string() });

const IN_BOLT = /[\\/]@slack[\\/]bolt[\\/]dist[\\/]/;

/** Leaves what is above out of the bundle. The source imports the public entry point of `@slack/bolt`. */
export const withoutBoltServers: Plugin = {
  name: 'bolt-without-servers',
  setup(build) {
    build.onResolve({ filter: EMPTY }, ({ importer, path }) =>
      IN_BOLT.test(importer) ? { path, namespace: 'empty' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: '' }));
    build.onLoad({ filter: PACKAGE }, ({ path }) => ({
      contents: JSON.stringify(v.parse(packageShape, JSON.parse(readFileSync(path, 'utf8')))),
      loader: 'json',
    }));
    build.onResolve({ filter: WEB_API }, ({ importer }) =>
      IN_BOLT.test(importer) ? { path: WEB_API_PLACEHOLDER } : undefined,
    );
  },
};
