import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import type { Tab } from '../browser/tab.ts';

/** axe-core as the browser runs it. */
const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

const violationsSchema = v.array(v.object({ id: v.string(), help: v.string(), nodes: v.array(v.string()) }));

/** The violations that axe-core finds on the current page with all its rules: one line per rule and element. */
export async function violations(tab: Tab): Promise<string[]> {
  if ((await tab.evaluate('typeof axe')) === 'undefined') await tab.evaluate(await readFile(AXE, 'utf8'));
  const results = await tab.evaluate(`axe.run(document).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ target, failureSummary }) => target.join(' ') + ': ' + failureSummary) })))`);
  return v
    .parse(violationsSchema, results)
    .flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id} (${help}): ${node.replaceAll(/\s+/gu, ' ')}`),
    );
}
