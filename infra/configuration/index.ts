import { findInvalidValues } from '../../shared/runtime/config/config.ts';
import { type Check, fail } from './check.ts';
import { checkDiscord } from './check-discord.ts';
import { checkSlack, type SlackBot } from './check-slack.ts';
import { checkUpstream } from './check-upstream.ts';
import { type Probe, probeWithin } from './probe.ts';
import { type LocalConfig, readConfig } from './read.ts';
import { valueOf, VARIABLES, type Variables } from './variables.ts';

export { type Check, type CheckResult, failed, linesOf, notPassed } from './check.ts';
export { checkEnvironment, readEnvFile } from './env-file.ts';
export type { DiscordChoice, LocalConfig, SlackApp, SlackChoice, UpstreamChoice } from './read.ts';
export type { SlackBot } from './check-slack.ts';
export type { Variables } from './variables.ts';

/** All the calls to one service take no longer: a start without a network is late by this, and no more. */
const SERVICE_TIMEOUT_MS = 5_000;

/** Reads the configuration, and checks every value by itself: nothing is asked of anybody. */
export function checkedConfig(variables: Variables): { config: LocalConfig; checks: readonly Check[] } {
  const { config, checks } = readConfig(variables);
  const named = new Set(checks.map(({ name }) => name));
  // As the functions will read them.
  const faults = findInvalidValues(variables)
    .filter(({ name }) => Object.hasOwn(VARIABLES, name) && !named.has(name))
    .map(({ name, fault }) => fail(name, 'is invalid.', `${capital(fault)}.`));
  return { config, checks: [...checks, ...faults] };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What the real services say of the configuration. */
export type ServiceChecks = {
  readonly checks: readonly Check[];
  /** Of the real Slack, if it said so. */
  readonly slackBot: SlackBot | undefined;
  /** Whether each real service answered; those that are simulated count as reached. */
  readonly reached: { readonly slack: boolean; readonly discord: boolean };
};

/**
 * Asks the real services, all at once, whether they take what is configured for them. Never rejects: a service that cannot be reached
 * within five seconds has a warning. `probes` gives each service one of its own.
 */
export async function checkServices(
  { slack, discord, upstream }: LocalConfig,
  variables: Variables,
  probes: () => Probe = () => probeWithin(SERVICE_TIMEOUT_MS),
): Promise<ServiceChecks> {
  const messages = valueOf(variables, 'DISCORD_MESSAGES') === 'all' ? 'all' : 'mentions';
  const [ofSlack, ofDiscord, ofUpstream] = await Promise.all([
    slack.kind === 'simulated'
      ? undefined
      : checkSlack({ ...slack, appToken: slack.kind === 'socket' ? slack.appToken : undefined }, probes()),
    discord.kind === 'simulated' ? undefined : checkDiscord({ ...discord, messages }, probes()),
    upstream.kind === 'simulated'
      ? undefined
      : checkUpstream({ ...upstream, models: modelsOf(variables) }, probes()),
  ]);
  return {
    checks: [...(ofSlack?.checks ?? []), ...(ofDiscord?.checks ?? []), ...(ofUpstream ?? [])],
    slackBot: ofSlack?.bot,
    reached: { slack: ofSlack?.reached ?? true, discord: ofDiscord?.reached ?? true },
  };
}

const MODEL_VARIABLES = ['UPSTREAM_MODEL', 'OTHER_MODELS', 'STAND_IN_MODELS', 'FOLLOW_UP_MODEL'];

/** The models that are named, by the variable that names them. */
function modelsOf(variables: Variables): Record<string, readonly string[]> {
  return Object.fromEntries(
    MODEL_VARIABLES.map((name) => [
      name,
      (valueOf(variables, name) ?? '').split(/[\s,]+/).filter((id) => id !== ''),
    ]),
  );
}
