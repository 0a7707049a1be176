import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

/**
 * Loaded with `--import` before a simulation. Gives Bolt the same stand-in for its Web API client as the bundle of the Slack
 * front (`infra/cdk/bundling/without-bolt-servers.ts`). A simulation starts a front for each request, and the real client
 * alone would take a third of the time of a front.
 */
const STAND_IN = pathToFileURL(join(import.meta.dirname, '../../infra/cdk/bundling/slack-web-api.ts')).href;

registerHooks({
  resolve(specifier, context, next) {
    const isOfBolt =
      specifier === '@slack/web-api' && /\/@slack\/bolt\/dist\//u.test(context.parentURL ?? '');
    return isOfBolt
      ? { url: STAND_IN, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context);
  },
});
