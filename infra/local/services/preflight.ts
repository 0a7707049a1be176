import { type Check, getFailed, formatChecks, getNotPassed } from '../../configuration/index.ts';
import { StartupError } from '../startup-error.ts';

/**
 * Throws StartupError if one of these checks failed, with all that did not pass, so that everything can be put right at once.
 * Otherwise `say` gets the warnings.
 */
export function settle(checks: readonly Check[], say: (line: string) => void = () => {}): void {
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
      ...simulatedInstead(getFailed(checks)),
    ].join('\n'),
  );
}

const SIMULATED: readonly (readonly [prefix: string, what: string])[] = [
  ['SLACK_', 'Slack is'],
  ['DISCORD_', 'Discord is'],
  ['UPSTREAM_', 'the models are'],
];

/** How to do without what cannot work. */
function simulatedInstead(checks: readonly Check[]): string[] {
  return SIMULATED.filter(([prefix]) => checks.some(({ name }) => name.startsWith(prefix))).map(
    ([prefix, what]) => `Without any ${prefix} variable ${what} simulated.`,
  );
}
