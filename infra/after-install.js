// Run by npm after an install, by whichever Node there is. Removes what comes along and nothing here makes use of.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname ?? '.', '..', 'node_modules');
const remove = (...path) => rmSync(join(modules, ...path), { recursive: true, force: true });

// Node 24 comes with the headers for compiling add-ons: 67 MB.
const builds = join(modules, 'node', 'node_modules');
for (const build of existsSync(builds) ? readdirSync(builds) : []) {
  if (build.startsWith('node-')) remove('node', 'node_modules', build, 'include');
}
// The AWS command line, which the CDK puts into functions that fill buckets or talk to Kubernetes: 22 MB.
remove('@aws-cdk', 'asset-awscli-v1', 'lib', 'layer.zip');
// What tools that translate the CDK's examples into other languages read: 13 MB.
remove('aws-cdk-lib', '.jsii.tabl.json.gz');
// The tests of the pages read axe.min.js: 2 MB of its source and of other languages.
remove('axe-core', 'axe.js');
remove('axe-core', 'locales');
