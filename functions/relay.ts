import { writeFile } from 'node:fs/promises';
import { happen, type HappenDeps } from '../shared/flows/happen.ts';
import { takesChatter } from '../shared/flows/receive.ts';
import { type RelayDeps, restReads } from '../shared/platforms/discord/gateway/index.ts';
import { type AwsCall, AwsFailed } from '../shared/runtime/aws-request.ts';
import type { relayConfig } from '../shared/runtime/config.ts';
import { TO_FILL_IN } from '../shared/runtime/names.ts';
import { sqsQueue } from '../shared/runtime/queue.ts';
import { type Secret, WrongSecret } from '../shared/runtime/secrets.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { dynamoLight } from '../shared/store/dynamo-light.ts';
import {
  Bookmarks,
  Buckets,
  type Dynamo,
  Marks,
  Recordings,
  SettingsStore,
  Turns,
} from '../shared/store/index.ts';

type Config = ReturnType<typeof relayConfig>;

/** Our own allowance of sessions: twenty at once, then one in three minutes; Discord's thousand a day are never reached. */
const SESSIONS = { intervalUs: 180e6, toleranceUs: 19 * 180e6 } as const;
/** Refusals of AWS that are about what was sent, and will be the same next time. */
const HOPELESS = new Set(['ValidationException', 'InvalidMessageContents', 'InvalidParameterValue']);
/** Looked at by the health check of the container: how old it is. */
const ALIVE_FILE = 'alive';

const { now, sleep } = systemTime;

/** Tells the health check that nothing would be won by beginning anew. */
export const alive = (): void => void writeFile(ALIVE_FILE, String(now())).catch(() => undefined);

/**
 * The token of the bot. Calls `wait` with what is wrong, and looks again, for as long as the secret cannot be read or is
 * still to be filled in: a deployment makes it, and its owner fills it in later.
 */
export async function tokenIn(
  bot: Pick<Secret<{ readonly botToken: string }>, 'refresh'>,
  wait: (error: unknown) => Promise<void>,
): Promise<string> {
  for (;;) {
    try {
      // Anew each time: a placeholder is not to be kept.
      const { botToken } = await bot.refresh();
      if (botToken !== TO_FILL_IN) return botToken;
      throw new WrongSecret('The secret is still to be filled in');
    } catch (error) {
      await wait(error);
    }
  }
}

/** Everything that the relay works with. */
export function relayDeps(config: Config, aws: AwsCall, token: string, log: RelayDeps['log']): RelayDeps {
  const { tokensTable, discordApiUrl, discordGatewayUrl: gatewayUrl, discordMessages: profile } = config;
  const dynamo = dynamoLight(aws);
  const taking = takingIn(config, aws, dynamo);
  const buckets = new Buckets(dynamo, tokensTable, now);
  return {
    token,
    profile,
    gatewayUrl,
    reads: restReads(discordApiUrl, token),
    shelf: new Bookmarks(dynamo, tokensTable, 'discord'),
    guildShelf: new Bookmarks(dynamo, tokensTable, 'discord-guilds'),
    slots: { take: (maxWaitMs) => buckets.take('SESSIONS#discord', SESSIONS, { maxWaitMs }) },
    happen: (happening) => happen(happening, taking),
    mayConcern: (guild, channel) =>
      takesChatter({ platform: 'discord', workspace: guild, channel }, taking.choices),
    hopeless: (error) => !(error instanceof AwsFailed) || HOPELESS.has(error.code),
    now,
    sleep,
    random: Math.random,
    alive,
    log,
  };
}

function takingIn(config: Config, aws: AwsCall, dynamo: Dynamo) {
  const { conversationsTable: table, historyDays: days } = config;
  const store = { dynamo, table, days, now };
  return {
    turns: new Turns(store),
    marks: new Marks(store),
    queue: sqsQueue(config.taskQueueUrl, aws),
    voice: sqsQueue(config.voiceQueueUrl, aws),
    choices: new SettingsStore(store),
    recordings: new Recordings(store),
    now,
  } satisfies HappenDeps;
}
