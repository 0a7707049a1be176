import { App, Validations } from 'aws-cdk-lib';
import { join } from 'node:path';
import * as v from 'valibot';
import { bundleAhead, PROJECT } from './bundle.ts';
import { findMisspelledOptions, readContextOptions } from './context-options.ts';
import { findInvalidPrices } from './find-invalid-prices.ts';
import { findMissingTexts } from './find-missing-texts.ts';

// The CDK's own option, by which tests of a template leave the bundles out.
const BUNDLING = 'aws:cdk:bundling-stacks';
const context = v.parse(
  v.object({ [BUNDLING]: v.optional(v.array(v.string()), ['**']) }),
  JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}'),
);
// Started first: esbuild bundles while the CDK is loaded.
const bundles = context[BUNDLING].length > 0 ? bundleAhead() : undefined;

// Run by the CDK (`npx cdk synth`, `npx cdk deploy`) and by the local build. The flags are here instead of in cdk.json, so
// that both produce the same template.
const app = new App({
  analyticsReporting: false,
  context: {
    '@aws-cdk/core:target-partitions': ['aws'],
    '@aws-cdk/core:checkSecretUsage': true,
    '@aws-cdk/aws-iam:minimizePolicies': true,
  },
});

const missing = findMissingTexts(join(PROJECT, 'shared', 'i18n'));
if (missing.length > 0) throw new Error(`These texts are missing:\n${missing.join('\n')}`);

const invalid = findInvalidPrices(join(PROJECT, 'functions', 'prices.json'));
if (invalid.length > 0) throw new Error(`functions/prices.json:\n${invalid.join('\n')}`);

const names = Object.keys(v.parse(v.record(v.string(), v.unknown()), app.node.getAllContext()));
const misspelled = findMisspelledOptions(names);
if (misspelled.length > 0) throw new Error(misspelled.join('\n'));
const options = readContextOptions((key) => app.node.tryGetContext(key));
const { ParleyStack } = await import('./stack.ts');
await bundles;
const stack = new ParleyStack(app, 'Parley', options);

// The local build skips the rules, which take seconds; `cdk synth` and the tests apply them. Suppressions with their
// reasons are written into the template for reviewers.
if (options.rules) {
  const { AwsSolutionsChecks } = await import('cdk-nag');
  const rules = new AwsSolutionsChecks(app, { writeSuppressionsToCloudFormation: true });
  Validations.of(stack.node.root).addPlugins(rules);
}

app.synth();
