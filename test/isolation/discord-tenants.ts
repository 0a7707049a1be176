import { FILES } from '../../shared/commands/command-list.ts';
import { buildDiscordCommands } from '../../infra/cli/discord-commands.ts';
import { createDiscord, type Discord } from '../simulators/discord/index.ts';
import { isJson, type Json } from '../simulators/discord/json.ts';
import { record } from '../simulators/discord/record.ts';
import { directChannel } from '../simulators/discord/routes/users.ts';
import type { Channel } from '../simulators/discord/state.ts';

export const ADA = '101000000000000001';
export const GRACE = '101000000000000002';
export const LIN = '101000000000000003';
export const MIA = '101000000000000004';
/** The first two have the bot; in the third only people have the app. */
export const GUILDS = ['201000000000000001', '201000000000000002', '201000000000000003'] as const;
/** A chat between two people with a user-installed app. */
export const BETWEEN = '301000000000000090';

const users = [
  { id: ADA, username: 'ada', name: 'Ada Lovelace' },
  { id: GRACE, username: 'grace', name: 'Grace Hopper' },
  { id: LIN, username: 'lin', name: 'Ada Lovelace', locale: 'zh-CN' },
  { id: MIA, username: 'mia', name: 'Mia' },
];
const everyone = users.map(({ id }) => id);
const guild = (id: string, owner: string, installed: boolean) => ({
  id,
  name: `Guild ${id.slice(-1)}`,
  owner,
  members: everyone,
  tier: 0,
  installed,
  denied: '0',
});

/** Built and parsed once, because that takes longer than a short run. */
let registered: readonly Json[] | undefined;

/** The commands of the bot, as registered with Discord. All simulations share them, so they are frozen. */
function registeredCommands(): readonly Json[] {
  if (registered) return registered;
  const commands: unknown = JSON.parse(
    JSON.stringify(
      buildDiscordCommands(FILES).map((one, nth) => ({ ...one, id: `40100000000000000${nth}` })),
    ),
    (_key, value: unknown) => Object.freeze(value),
  );
  if (!Array.isArray(commands) || !commands.every(isJson)) throw new Error('a command is an object');
  registered = commands;
  return commands;
}

/** Three guilds with the same people, each administered by one of them, and their direct messages with the bot. */
export function createDiscordTenants(clock: () => number): Discord {
  const discord = createDiscord({
    clock,
    identity: {
      users,
      guilds: [guild(GUILDS[0], ADA, true), guild(GUILDS[1], GRACE, true), guild(GUILDS[2], LIN, false)],
      channels: GUILDS.flatMap((id, nth) => [
        { id: `30100000000000000${nth + 1}`, type: 0, name: 'general', guild: id },
        { id: `30100000000000001${nth + 1}`, type: 0, name: 'random', guild: id },
      ]),
    },
  });
  record(discord.context, { kind: 'commands', scope: 'global', commands: [...registeredCommands()] });
  for (const user of everyone) directChannel(discord.context, user);
  const between = { id: BETWEEN, type: 1, name: '', recipient: ADA };
  record(discord.context, { kind: 'channel', channel: between });
  return discord;
}

/** The members of a channel. */
export function membersIn({ state }: Discord, channel: string): readonly string[] {
  const channelState = state.channels.get(channel);
  if (channel === BETWEEN) return [ADA, GRACE];
  if (channelState?.guild === undefined)
    return channelState?.recipient === undefined ? [] : [channelState.recipient];
  const inGuild = state.guilds.get(channelState.guild);
  // A thread has the permissions of its parent.
  const place = state.channels.get(channelState.parent ?? channel) ?? channelState;
  return (inGuild?.members ?? []).filter((user) => user === inGuild?.owner || mayView(user, place));
}

/** View Channel. */
export const VIEW_CHANNEL = 1n << 10n;

/** Whether an overwrite lets a person view a channel: their own, or that of everybody. */
function mayView(user: string, { guild: roleOfAll, overwrites = [] }: Channel): boolean {
  const [own, all] = [user, roleOfAll].map((id) => overwrites.find((one) => one.id === id));
  return hasView(own?.allow) || !(hasView(own?.deny) || hasView(all?.deny));
}

const hasView = (bits = '0'): boolean => (BigInt(bits) & VIEW_CHANNEL) !== 0n;

/** Whether everybody in a guild may read a channel. */
export function isOpen(discord: Discord, channel: string): boolean {
  const inGuild = discord.state.guilds.get(tenantOf(discord, channel));
  return inGuild !== undefined && inGuild.members.length === membersIn(discord, channel).length;
}

/** The tenant of a channel: its guild, or `@me` for chats without one. */
export const tenantOf = ({ state }: Discord, channel: string): string =>
  state.channels.get(channel)?.guild ?? '@me';
