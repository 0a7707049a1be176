import { PermissionFlagsBits } from 'discord-api-types/v10';
import { messageId, type TurnRef, userId } from '../../../shared/domain/index.ts';
import {
  listCdnOrigins,
  createDiscordPlatform,
  createRestCall,
  createGuildFinder,
  toWorkspaceId,
  toThread,
} from '../../../shared/platforms/discord/index.ts';
import { readId, readList, readString } from '../../../shared/platforms/discord/api/json-path.ts';
import type { PermissionName } from '../../../shared/platforms/discord/lookup/permissions.ts';
import type { Reply } from '../../../shared/platforms/ports/index.ts';
import {
  ADA,
  type Channel,
  DEFAULT_IDENTITY,
  type DiscordSimulator,
  GENERAL,
  GUILD,
  startDiscordSimulator,
} from '../../simulators/discord/index.ts';

export const FORUM = '301000000000000003';
const simulators: DiscordSimulator[] = [];
/** Stops what `rig` started. */
export async function closeAll(): Promise<void> {
  for (const simulator of simulators.splice(0)) await simulator.close();
}

export const permissionBits = (denied: readonly PermissionName[]): string =>
  String(denied.reduce((all, one) => all | PermissionFlagsBits[one], 0n));

export const fileNames = (of: unknown): unknown[] =>
  [...readList(of, 'attachments')].map((one) => readString(one, 'filename'));

/** The platform on a simulated Discord that denies the bot a permission in a channel. */
export async function discordWithDeniedPermissions(
  denied: readonly PermissionName[],
  channel = GENERAL,
  more: Partial<Channel> = {},
) {
  const channels = DEFAULT_IDENTITY.channels.map((one) =>
    one.id === channel ? { ...one, denied: permissionBits(denied), ...more } : one,
  );
  const shared = process.env['PARLEY_SHARED'];
  const simulator = await startDiscordSimulator({ shared, identity: { channels } });
  simulators.push(simulator);
  const { core, apiUrl, applicationId, botToken, faults, calls } = simulator;
  let now = Date.now();
  const time = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const call = createRestCall({
    apiUrl,
    applicationId,
    token: async () => botToken,
    now: time.now,
    random: () => 0,
  });
  const logged: { readonly event: string; readonly facts: unknown }[] = [];
  const platform = createDiscordPlatform({
    call,
    time,
    applicationId,
    guild: createGuildFinder({ call, time }),
    findInteractionToken: async () => undefined,
    cdnOrigins: listCdnOrigins(apiUrl),
    log: (event, facts) => void logged.push({ event, facts }),
  });
  const turnOf = (id: string, root = id): TurnRef => ({
    thread: toThread(GUILD, channel, root),
    message: messageId(id),
    asker: userId(ADA),
    askerWorkspace: toWorkspaceId(GUILD),
  });
  const lastMessage = (at: string) =>
    core.messages(at).filter((one) => readId(one, 'author', 'id') === applicationId);
  return {
    core,
    platform,
    faults,
    calls,
    turnOf,
    /** Ada asks in the channel. */
    ask: (text: string) => turnOf(core.say('ada', text, { channel })),
    reply: (turn: TurnRef, question = ''): Reply => platform.reply(turn, [], { question }),
    lastMessage,
    texts: (at: string) => lastMessage(at).map((one) => readString(one, 'content')),
    direct: () => lastMessage(core.dm('ada')),
    logged: (event: string) => logged.filter((one) => one.event === event).map(({ facts }) => facts),
    threads: () => [...core.state.channels.values()].filter(({ parent }) => parent === channel),
  };
}
