import type { LocalConfig } from '../../configuration/index.ts';
import type { DiscordService } from './discord.ts';
import type { SlackService, UpstreamService } from './services.ts';

type ServicesWithSecrets = {
  readonly slack: SlackService;
  readonly discord: DiscordService;
  readonly upstream: UpstreamService;
};

/** The placeholder values of a deployment. */
const PLACEHOLDER_APP = { clientId: 'to be filled in', clientSecret: 'to be filled in' };

/** Returns the value of a secret of the template, by the kind that it has in `infra/cdk/secrets.ts`. */
export function getServiceSecret(
  kind: string,
  { slack, discord, upstream }: ServicesWithSecrets,
  { slackApp }: LocalConfig,
): unknown {
  if (kind === 'slack-signing') return { current: slack.signingSecret };
  if (kind === 'slack-bot')
    return { botToken: slack.botToken, ...(slack.botUserId !== '' && { botUserId: slack.botUserId }) };
  if (kind === 'slack-oauth') return slack.app ?? slackApp ?? PLACEHOLDER_APP;
  if (kind === 'discord-bot') return { botToken: discord.botToken ?? '' };
  const { apiKey, searchKey } = upstream;
  if (kind === 'upstream') return { apiKey, ...(searchKey !== undefined && { searchKey }) };
  return undefined;
}
