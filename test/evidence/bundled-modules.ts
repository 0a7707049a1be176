import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

/**
 * Loaded with `--import` before a simulation, which starts thousands of processes with the same data. Gives Bolt the same stand-in for its
 * Web API client as the bundle of the Slack front (`infra/cdk/bundling/without-bolt-servers.ts`): the real client alone would take a third
 * of the time of a front. Turns are compressed, and signatures computed, once each.
 */
const urlOf = (path: string): string => pathToFileURL(join(import.meta.dirname, path)).href;
const STAND_INS = [
  {
    specifier: '@slack/web-api',
    importer: /\/@slack\/bolt\/dist\//u,
    url: urlOf('../../infra/cdk/bundling/slack-web-api.ts'),
  },
  {
    specifier: 'node:zlib',
    importer: /\/shared\/storage\/dynamodb\/turn-compression\.ts$/u,
    url: urlOf('compression-cache.ts'),
  },
  {
    specifier: 'node:crypto',
    importer: /\/shared\/platforms\/slack\/inbound\/verify\.ts$/u,
    url: urlOf('signature-cache.ts'),
  },
];

registerHooks({
  resolve(specifier, context, next) {
    const standIn = STAND_INS.find(
      (one) => one.specifier === specifier && one.importer.test(context.parentURL ?? ''),
    );
    return standIn
      ? { url: standIn.url, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context);
  },
});
