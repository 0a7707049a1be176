import { App, Validations } from 'aws-cdk-lib';
import { join } from 'node:path';
import { bundleAhead, PROJECT } from './bundle.ts';
import { readContextOptions } from './context-options.ts';
import { missingTexts } from './template-texts.ts';

// Begun first: esbuild bundles beside, while the CDK is loaded.
const bundles = bundleAhead();

// Run by the CDK (`npx cdk synth`, `npx cdk deploy`) and by the local build. The flags stand here and not in
// cdk.json, so that both get the same template.
const app = new App({
  analyticsReporting: false,
  context: {
    '@aws-cdk/core:target-partitions': ['aws'],
    '@aws-cdk/core:checkSecretUsage': true,
    '@aws-cdk/aws-iam:minimizePolicies': true,
  },
});

const missing = missingTexts(join(PROJECT, 'shared', 'i18n'));
if (missing.length > 0) throw new Error(`These texts are missing:\n${missing.join('\n')}`);

const choices = readContextOptions((key) => app.node.tryGetContext(key));
const { ParleyStack } = await import('./stack.ts');
await bundles;
const stack = new ParleyStack(app, 'Parley', choices);

// The local build leaves the rules out: they cost seconds, and `cdk synth` and the tests apply them.
// What is acknowledged, and why, is written into the template for whoever reviews the deployment.
if (choices.rules) {
  const { AwsSolutionsChecks } = await import('cdk-nag');
  const rules = new AwsSolutionsChecks(app, { writeSuppressionsToCloudFormation: true });
  Validations.of(stack.node.root).addPlugins(rules);
}

app.synth();
