import { type Check, getFailed, formatChecks, getNotPassed } from '../../configuration/index.ts';
import { StartupError } from '../startup-error.ts';

/**
 * Throws StartupError if a check failed, with all checks that did not pass, so that everything can be fixed at once. Otherwise
 * prints the warnings with `say`.
 */
export function reportChecks(checks: readonly Check[], say: (line: string) => void = () => {}): void {
  const lines = formatChecks(getNotPassed(checks));
  const count = getFailed(checks).length;
  if (count === 0) {
    for (const line of lines) say(line);
    return;
  }
  throw new StartupError(
    [
      `Parley does not start: ${count === 1 ? 'one setting' : `${count} settings`} in .env or the environment cannot work.`,
      ...lines,
      ...suggestSimulation(getFailed(checks)),
    ].join('\n'),
  );
}

const SIMULATED: readonly (readonly [prefix: string, what: string])[] = [
  ['SLACK_', 'Slack is'],
  ['DISCORD_', 'Discord is'],
  ['UPSTREAM_', 'the models are'],
];

/** Suggests simulating the services that cannot work. */
function suggestSimulation(checks: readonly Check[]): string[] {
  return SIMULATED.filter(([prefix]) => checks.some(({ name }) => name.startsWith(prefix))).map(
    ([prefix, what]) => `Without any ${prefix} variable ${what} simulated.`,
  );
}
