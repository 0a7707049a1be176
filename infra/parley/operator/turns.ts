import { Turns } from '../../../shared/storage/index.ts';
import {
  checkSlack,
  createProbe,
  DISCORD_API,
  findParentChannel,
  type Probe,
  SLACK_API,
} from '../../configuration/index.ts';
import { type PlatformUrls, readParameters, toPlatformUrls } from '../aws/deployment.ts';
import { readSecret } from '../aws/secrets.ts';
import { type DeploymentAccess, getOutput, type SystemAccess } from './open-system.ts';
import { openTable } from './tables.ts';

const SERVICE_TIMEOUT_MS = 8_000;

/** Returns the turns of a system, for reading: the retention matters only for writes. */
export const openTurns = (system: SystemAccess): Turns =>
  new Turns({ ...openTable(system), days: 30, now: Date.now });

/**
 * Returns the workspace of a system with one Slack workspace: that of its bot token. Undefined for an app that is installed in many.
 * Rejects with OperatorError if the secret cannot be read.
 */
export async function findSlackTeam(system: SystemAccess): Promise<string | undefined> {
  if (system.kind === 'local') return system.slackTeam;
  const probe = createProbe(SERVICE_TIMEOUT_MS);
  const { botToken } = await readSecret(system.account, getOutput(system, 'SlackBotSecret'), probe);
  if (typeof botToken !== 'string' || !botToken.startsWith('xoxb-')) return undefined;
  const { slack: apiUrl = SLACK_API } = await readPlatformUrls(system, probe);
  const settings = { apiUrl, botToken, appToken: undefined, botUserId: undefined };
  return (await checkSlack(settings, probe)).bot?.teamId ?? undefined;
}

/**
 * Returns the channel of a Discord thread of a deployment. Undefined if it is no thread, or Discord does not say. Locally, the logs name it. Rejects with
 * OperatorError if the secret cannot be read.
 */
export async function findDiscordParent(system: SystemAccess, channel: string): Promise<string | undefined> {
  if (system.kind === 'local') return undefined;
  const probe = createProbe(SERVICE_TIMEOUT_MS);
  const { botToken } = await readSecret(system.account, getOutput(system, 'DiscordBotSecret'), probe);
  if (typeof botToken !== 'string' || botToken === '') return undefined;
  const { discord: apiUrl = DISCORD_API } = await readPlatformUrls(system, probe);
  return findParentChannel({ apiUrl, botToken }, channel, probe);
}

/** The token of a deployment goes only where the deployment itself sends it. */
const readPlatformUrls = async ({ account, stack }: DeploymentAccess, probe: Probe): Promise<PlatformUrls> =>
  toPlatformUrls(await readParameters(account, stack, probe));
