// Run by npm after an install, by whichever Node there is.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Node 24 comes with the headers for compiling add-ons: 67 MB that nothing here makes use of.
const builds = join(import.meta.dirname ?? '.', '..', 'node_modules', 'node', 'node_modules');
for (const build of existsSync(builds) ? readdirSync(builds) : []) {
  if (build.startsWith('node-')) rmSync(join(builds, build, 'include'), { recursive: true, force: true });
}
