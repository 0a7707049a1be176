/**
 * Prints the template of the deployment for each given context as JSON: `node synthesise-each.ts CONTEXTS`. A process
 * of its own, so that the CDK is loaded once. Functions are not bundled.
 */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { readContextOptions } from '../../infra/cdk/context-options.ts';
import { ParleyStack } from '../../infra/cdk/stack.ts';

const contexts = v.parse(v.array(v.record(v.string(), v.unknown())), JSON.parse(process.argv[2] ?? ''));

const templates = contexts.map((chosen): unknown => {
  const outdir = mkdtempSync(join(tmpdir(), 'parley-choice-'));
  try {
    const app = new App({ outdir, context: { ...chosen, 'aws:cdk:bundling-stacks': [] } });
    const choices = readContextOptions((key): unknown => app.node.tryGetContext(key));
    const stack = new ParleyStack(app, 'Parley', choices);
    // As in infra/cdk/app.ts.
    if (choices.rules)
      Validations.of(stack.node.root).addPlugins(
        new AwsSolutionsChecks(app, { writeSuppressionsToCloudFormation: true }),
      );
    return app.synth().getStackArtifact(stack.artifactId).template;
  } finally {
    rmSync(outdir, { recursive: true });
  }
});
process.stdout.write(JSON.stringify(templates));
