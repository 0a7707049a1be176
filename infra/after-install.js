// npm runs this after an install, with any version of Node. Removes large files that the project does not use.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname ?? '.', '..', 'node_modules');
const remove = (...path) => rmSync(join(modules, ...path), { recursive: true, force: true });

// The Node 24 package includes headers for compiling add-ons: 67 MB.
const builds = join(modules, 'node', 'node_modules');
for (const build of existsSync(builds) ? readdirSync(builds) : []) {
  if (build.startsWith('node-')) remove('node', 'node_modules', build, 'include');
}
// The AWS CLI layer, which the CDK uses for bucket deployments and Kubernetes: 22 MB.
remove('@aws-cdk', 'asset-awscli-v1', 'lib', 'layer.zip');
// What the CDK offers to other languages, and its examples in them: 21 MB.
remove('aws-cdk-lib', '.jsii.gz');
remove('aws-cdk-lib', '.jsii.tabl.json.gz');
// The page tests use axe.min.js only: 2 MB of other files.
remove('axe-core', 'axe.js');
remove('axe-core', 'locales');
// Source maps: 30 MB. Node, Jest and the bundles read none of packages.
for (const file of existsSync(modules) ? readdirSync(modules, { recursive: true }) : [])
  if (/\.[cm]?[jt]s\.map$/u.test(file)) remove(file);
