import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import type { Tab } from '../browser/tab.ts';

/** axe-core as the browser runs it. */
const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

const violationsSchema = v.array(v.object({ id: v.string(), help: v.string(), nodes: v.array(v.string()) }));

/** Rules that look at colors: all that a theme, which changes nothing else, can violate. */
const COLOR_RULES = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

/** The violations that axe-core finds on the current page, with all its rules or those of colors: one line per rule and element. */
export async function violations(tab: Tab, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  if ((await tab.evaluate('typeof axe')) === 'undefined') await tab.evaluate(await readFile(AXE, 'utf8'));
  // Only violations: otherwise axe describes each element that passes.
  const options = { resultTypes: ['violations'], ...(rules === 'colors' && COLOR_RULES) };
  const results = await tab.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ target, failureSummary }) => target.join(' ') + ': ' + failureSummary) })))`);
  return v
    .parse(violationsSchema, results)
    .flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id} (${help}): ${node.replaceAll(/\s+/gu, ' ')}`),
    );
}
