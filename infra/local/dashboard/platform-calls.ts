import type { LedgerEntry, MessageRow, NameLookup } from '../../dashboard/index.ts';
import type { DiscordService } from '../services/discord.ts';
import type { SlackService } from '../services/services.ts';

type Platforms = {
  readonly slack: Pick<SlackService, 'simulator'>;
  readonly discord: Pick<DiscordService, 'simulator'>;
};

/** The status is cleared after the last log line of a message. */
const AFTER_END_MS = 5_000;

/** Returns the names that the simulated platforms know. */
export const createNameLookup =
  ({ slack, discord }: Platforms): NameLookup =>
  (platform, scope, id) => {
    if (platform === 'slack') {
      const { simulator } = slack;
      if (scope === 'person') return simulator?.users.find((user) => user.id === id)?.realName;
      const name = simulator?.core.state.channels.get(id)?.name;
      return name === undefined || name === '' ? undefined : `#${name}`;
    }
    const { simulator } = discord;
    if (scope === 'person') return simulator?.core.identity.users.find((user) => user.id === id)?.username;
    const name = simulator?.core.context.state.channels.get(id)?.name;
    return name === undefined || name === '' ? undefined : `#${name}`;
  };

/** Returns the requests to the simulated platforms that show the answer to a message, until its last log line (ms since 1970). */
export function listPlatformCalls(
  { slack, discord }: Platforms,
  row: MessageRow,
  lastMs: number,
): LedgerEntry[] {
  const isInTime = ({ at }: { readonly at: number }): boolean =>
    at >= row.receivedAt && at <= lastMs + AFTER_END_MS;
  if (row.platform === 'slack') {
    const isAbout = aboutMessage(slack, row);
    return (slack.simulator?.calls ?? [])
      .filter((call) => isInTime(call) && isAbout(call.args))
      .map(({ at, method, outcome }) => entry(at, 'Slack', method, outcome, outcome === 'ok'));
  }
  if (row.platform !== 'discord' || row.channel === undefined) return [];
  const { channel } = row;
  return (discord.simulator?.calls ?? [])
    .filter((call) => isInTime(call) && call.path.includes(channel))
    .map(({ at, route, outcome }) =>
      entry(at, 'Discord', route, String(outcome), typeof outcome === 'number' && outcome < 400),
    );
}

/** Requests name the thread, or a message of the bot in it. */
function aboutMessage(
  { simulator }: Platforms['slack'],
  { channel = '', message = '' }: MessageRow,
): (args: Readonly<Record<string, unknown>>) => boolean {
  const messages = [...(simulator?.core.state.messages.get(channel)?.values() ?? [])];
  const root = messages.find(({ ts }) => ts === message)?.thread ?? message;
  const own = new Set(messages.filter(({ thread }) => thread === root).map(({ ts }) => ts));
  return (args) =>
    (args['channel'] === channel || args['channel_id'] === channel) &&
    (args['thread_ts'] === root || own.has(String(args['ts'])) || args['ts'] === message);
}

const entry = (
  at: number,
  platform: string,
  what: string,
  outcome: string,
  isFine: boolean,
): LedgerEntry => ({
  at,
  source: platform,
  what: `Request to ${platform}: ${what}`,
  details: outcome,
  isProblem: !isFine,
});
