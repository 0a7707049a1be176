import { findInvalidValues } from '../../shared/runtime/index.ts';
import { type Check, fail } from './check.ts';
import { type ClockSample, evaluateClock, sampleClocks } from './check-clock.ts';
import { checkDiscord } from './check-discord.ts';
import { checkSlack, type SlackBot } from './check-slack.ts';
import { checkUpstream } from './check-upstream.ts';
import { type Probe, createProbe } from './probe.ts';
import { type LocalConfig, readConfig } from './read-config.ts';
import { getValue, VARIABLES, type Variables } from './variables.ts';

export {
  type Check,
  type CheckResult,
  fail,
  formatChecks,
  getFailed,
  getNotPassed,
  pass,
  skip,
  warn,
} from './check.ts';
export { checkDiscord, findParentChannel } from './check-discord.ts';
export { checkSlack } from './check-slack.ts';
export { checkUpstream } from './check-upstream.ts';
export { DISCORD_API, DISCORD_GATEWAY, SLACK_API } from './read-config.ts';
export { checkEnvironment, readEnvFile } from './env-file.ts';
export type { DiscordChoice, LocalConfig, SlackApp, SlackChoice, UpstreamChoice } from './read-config.ts';
export type { SlackBot } from './check-slack.ts';
export { readAppIdOfToken } from './check-slack-app.ts';
export { createProbe, type Probe, type ProbeResult } from './probe.ts';
export {
  CONFIG_TOKEN,
  CREDENTIAL_MEANINGS,
  CREDENTIALS,
  getValue,
  VARIABLES,
  type Variables,
} from './variables.ts';

/** Time limit for all requests to one service, so that a start without network is delayed by this at most. */
const SERVICE_TIMEOUT_MS = 5_000;

/** Reads the configuration and checks each value, without network requests. */
export function readCheckedConfig(variables: Variables): { config: LocalConfig; checks: readonly Check[] } {
  const { config, checks } = readConfig(variables);
  const checkedNames = new Set(checks.map(({ name }) => name));
  // Checked like in the functions.
  const valueChecks = findInvalidValues(variables)
    .filter(({ name }) => Object.hasOwn(VARIABLES, name) && !checkedNames.has(name))
    .map(({ name, fault }) => fail(name, 'is invalid.', `${capitalize(fault)}.`));
  return { config, checks: [...checks, ...valueChecks] };
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Results of checking the configuration with the real services. */
export type ServiceChecks = {
  readonly checks: readonly Check[];
  /** The clock of this machine, by the first platform that answered. */
  readonly clock: readonly Check[];
  /** The identity from the real Slack, if it confirmed it. */
  readonly slackBot: SlackBot | undefined;
  /** The id of the Slack app, if Slack sent it. */
  readonly slackAppId: string | undefined;
  /** Whether each real service responded; simulated ones count as reached. */
  readonly reached: { readonly slack: boolean; readonly discord: boolean };
};

/**
 * Checks the configuration with the real services, in parallel. Never rejects: an unreachable service is a warning after five
 * seconds. `probes` creates a probe per service.
 */
export async function checkServices(
  { slack, discord, upstream }: LocalConfig,
  variables: Variables,
  probes: () => Probe = () => createProbe(SERVICE_TIMEOUT_MS),
): Promise<ServiceChecks> {
  const clocks: ClockSample[] = [];
  // Not the model server: it may be a machine with a wrong clock, and posts no signed requests.
  const createSampledProbe = () => sampleClocks(probes(), clocks);
  const messages = getValue(variables, 'DISCORD_MESSAGES') === 'all' ? 'all' : 'mentions';
  const [slackResult, discordResult, upstreamChecks] = await Promise.all([
    slack.kind === 'simulated'
      ? undefined
      : checkSlack(
          { ...slack, appToken: slack.kind === 'socket' ? slack.appToken : undefined },
          createSampledProbe(),
        ),
    discord.kind === 'simulated' ? undefined : checkDiscord({ ...discord, messages }, createSampledProbe()),
    upstream.kind === 'simulated'
      ? undefined
      : checkUpstream({ ...upstream, models: getConfiguredModels(variables) }, probes()),
  ]);
  return {
    checks: [...(slackResult?.checks ?? []), ...(discordResult?.checks ?? []), ...(upstreamChecks ?? [])],
    clock: evaluateClock(clocks, { slack: slack.kind === 'posted', discord: discord.kind === 'real' }),
    slackBot: slackResult?.bot,
    slackAppId: slackResult?.appId,
    reached: { slack: slackResult?.reached ?? true, discord: discordResult?.reached ?? true },
  };
}

const MODEL_VARIABLES = ['UPSTREAM_MODEL', 'OTHER_MODELS', 'STAND_IN_MODELS', 'FOLLOW_UP_MODEL'];

/** Returns the configured models by variable name. */
function getConfiguredModels(variables: Variables): Record<string, readonly string[]> {
  return Object.fromEntries(
    MODEL_VARIABLES.map((name) => [
      name,
      (getValue(variables, name) ?? '').split(/[\s,]+/).filter((id) => id !== ''),
    ]),
  );
}
