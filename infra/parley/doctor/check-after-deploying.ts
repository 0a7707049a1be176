import { formatChecks, getFailed, getNotPassed } from '../../configuration/index.ts';
import { type Deployment, diagnoseDeployment } from './diagnose-deployment.ts';

/**
 * The short form of `parley doctor` for a deployment: says only what is not in order, each with its fix, and one line about the rest.
 * Resolves with whether nothing failed. Never rejects.
 */
export async function checkAfterDeploying(
  deployment: Deployment,
  say: (line: string) => void,
): Promise<boolean> {
  say('Checking the deployment ...');
  const checks = await diagnoseDeployment(deployment);
  const open = getNotPassed(checks);
  for (const line of formatChecks(open)) say(line);
  const passed = `Checked the deployment: ${checks.length - open.length} of ${checks.length} checks passed`;
  say(open.length === 0 ? `${passed}.` : `${passed}; the others are above.`);
  return getFailed(checks).length === 0;
}
