import { record } from '../simulators/discord/record.ts';
import type { Channel } from '../simulators/discord/state.ts';
import { pick } from './commands.ts';
import { GRACE, GUILDS, LIN, MIA, VIEW_CHANNEL } from './discord-tenants.ts';
import type { IsolationHarness } from './harness.ts';
import type { Operation } from './operation.ts';
import { NOBODY } from './operations.ts';

const STAFF = '301000000000000021';
/** Send Messages, and Send Messages in Threads. */
const SEND_MESSAGES = (1n << 11n) | (1n << 38n);

/** The overwrite of a member who may view a channel, or of one who may not. */
const overwrite = (id: string, isAllowed: boolean) => ({
  id,
  type: 1,
  allow: isAllowed ? String(VIEW_CHANNEL) : '0',
  deny: isAllowed ? '0' : String(VIEW_CHANNEL),
});

const textChannel = (id: string, name: string, guild: string): Channel => ({ id, type: 0, name, guild });

/**
 * Adds channels of Discord that somebody may not use: in the first guild a private one (`staff`), and one that a member may not view (`quiet`); in the
 * second one that the bot may not view (`hidden`), and one where it may not write (`news`).
 */
export function addDeniedChannels({ discord: { context, identity } }: IsolationHarness): void {
  const everyone = { ...overwrite(GUILDS[0], false), type: 0 };
  const bot = overwrite(identity.applicationId, true);
  const channels: readonly Channel[] = [
    { ...textChannel(STAFF, 'staff', GUILDS[0]), overwrites: [everyone, bot, overwrite(GRACE, true)] },
    { ...textChannel('301000000000000022', 'quiet', GUILDS[0]), overwrites: [overwrite(MIA, false)] },
    { ...textChannel('301000000000000023', 'hidden', GUILDS[1]), denied: String(VIEW_CHANNEL) },
    { ...textChannel('301000000000000024', 'news', GUILDS[1]), denied: String(SEND_MESSAGES) },
  ];
  for (const channel of channels) record(context, { kind: 'channel', channel });
}

/** Somebody is let into the private channel of Discord, or loses it. Nothing else happens meanwhile: what was begun before may end. */
export function changeAccess({
  random,
  races,
  discord: { context, state },
}: IsolationHarness): Operation | undefined {
  const channel = state.channels.get(STAFF);
  const user = pick(random, [GRACE, LIN, MIA]);
  if (races || !channel || user === undefined) return undefined;
  const { overwrites = [] } = channel;
  const others = overwrites.filter(({ id }) => id !== user);
  const isIn = others.length < overwrites.length;
  const changed = { ...channel, overwrites: isIn ? others : [...others, overwrite(user, true)] };
  return {
    actor: { ...NOBODY, operation: 'system: access' },
    act: async () => record(context, { kind: 'channel', channel: changed }),
    detail: `${user} ${isIn ? 'loses' : 'gets'} ${channel.name}`,
  };
}
