import * as v from 'valibot';
import { workspaceId, channelId } from '../../../../shared/domain/index.ts';
import {
  findMissing,
  createGuildFinder,
  createPermissionFinder,
} from '../../../../shared/platforms/discord/index.ts';
import { systemTime } from '../../../../shared/runtime/index.ts';
import { type Check, fail, type Probe, type ProbeResult, warn } from '../../../configuration/index.ts';
import { type DiscordAccess, readDiscord } from './check-discord-server.ts';

/** What the invitation asks for, apart from voice messages, which only some commands post. */
const NEEDED = [
  'SendMessages',
  'ReadMessageHistory',
  'CreatePublicThreads',
  'SendMessagesInThreads',
  'AttachFiles',
  'AddReactions',
] as const;
/** Without one of these, nobody is answered in the channel. */
const ESSENTIAL = ['View Channel', 'Send Messages', 'Connect'];

const channelSchema = v.object({ guild_id: v.optional(v.string()) });

/** A request of Discord did not succeed. */
class DiscordReadError extends Error {
  override readonly name = 'DiscordReadError';
}

/**
 * Finds the permissions that the bot lacks in a channel, from the roles of the server and the overwrites of the channel. Empty
 * if it lacks none, or if they cannot be read.
 */
export async function checkDiscordPermissions(
  access: DiscordAccess,
  channel: string,
  response: ProbeResult,
  probe: Probe,
): Promise<Check[]> {
  const parsed = response.kind === 'answered' ? v.safeParse(channelSchema, response.json) : undefined;
  const guildId = parsed?.success ? parsed.output.guild_id : undefined;
  if (guildId === undefined) return [];
  const call = async ({ path }: { readonly path: string }): Promise<unknown> => {
    const read = await readDiscord(access, path, probe);
    if (read.kind === 'answered' && read.status === 200) return read.json;
    throw new DiscordReadError(path);
  };
  const find = createPermissionFinder({
    call,
    guild: createGuildFinder({ call, time: systemTime }),
    applicationId: access.applicationId,
    time: systemTime,
  });
  const permissions = await find({ workspace: workspaceId(guildId), channel: channelId(channel) });
  return evaluateMissingPermissions(channel, findMissing(permissions, NEEDED));
}

/** Evaluates the names of the permissions that are missing in the channel. */
function evaluateMissingPermissions(channel: string, missing: readonly string[]): Check[] {
  if (missing.length === 0) return [];
  const isEssential = missing.some((name) => ESSENTIAL.includes(name));
  const check = isEssential ? fail : warn;
  return [
    check(
      `Discord channel ${channel}`,
      `does not give the bot: ${missing.join(', ')}.${isEssential ? ' It cannot answer there.' : ''}`,
      "Allow it in the channel's settings > Permissions. docs/discord.md, Permissions, says what does not work without it.",
    ),
  ];
}
