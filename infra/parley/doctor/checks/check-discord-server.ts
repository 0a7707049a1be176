import * as v from 'valibot';
import { type Check, fail, pass, type Probe, type ProbeResult, warn } from '../../../configuration/index.ts';

export type DiscordAccess = {
  /** With the version, without a trailing slash. */
  readonly apiUrl: string;
  readonly applicationId: string;
  readonly botToken: string;
};

const guildsSchema = v.array(v.object({ name: v.string() }));
const errorSchema = v.object({ code: v.number() });
/** Discord rejects requests without a user agent of this form. */
const USER_AGENT = 'DiscordBot (https://localhost, 1.0)';

/** Reads a resource of Discord as the bot. */
export const readDiscord = (
  { apiUrl, botToken }: DiscordAccess,
  path: string,
  probe: Probe,
): Promise<ProbeResult> =>
  probe(`${apiUrl}${path}`, { headers: { authorization: `Bot ${botToken}`, 'user-agent': USER_AGENT } });

/**
 * Evaluates the response to `GET /users/@me/guilds`. Empty if Discord did not respond, which is reported elsewhere.
 * `inviteUrl` adds the bot to a server.
 */
export function evaluateGuilds(inviteUrl: string, response: ProbeResult): Check[] {
  const parsed = response.kind === 'answered' ? v.safeParse(guildsSchema, response.json) : undefined;
  if (!parsed?.success) return [];
  const [first] = parsed.output;
  if (first !== undefined) {
    const others = parsed.output.length === 1 ? '' : ` and ${parsed.output.length - 1} more`;
    return [pass('Discord servers', `have the bot: ${first.name}${others}.`)];
  }
  return [warn('Discord servers', 'do not have the bot: it was not added to any.', `Open ${inviteUrl}`)];
}

/** Evaluates the response to `GET /channels/{id}`. */
export function evaluateDiscordChannel(id: string, response: ProbeResult): Check {
  const name = `Discord channel ${id}`;
  if (response.kind === 'answered' && response.status === 200) return pass(name, 'can be seen by the bot.');
  const parsed = response.kind === 'answered' ? v.safeParse(errorSchema, response.json) : undefined;
  const code = parsed?.success ? parsed.output.code : undefined;
  const problem = code === undefined ? undefined : CHANNEL_PROBLEMS[code];
  if (problem) return fail(name, `${problem.finding} (${code}).`, problem.fix);
  return warn(name, 'was not checked, because Discord does not answer.', 'Try again later.');
}

const COPY_ID =
  'Copy the id again: in Discord, User Settings > Advanced > Developer Mode, then right-click the channel > Copy Channel ID.';

/** Source: Discord's documentation, Opcodes and Status Codes, JSON error codes. */
const CHANNEL_PROBLEMS: Readonly<Record<number, { readonly finding: string; readonly fix: string }>> = {
  50001: {
    finding: 'cannot be seen by the bot',
    fix: "Add the bot to the server, or in the channel's settings > Permissions allow it View Channel and Send Messages.",
  },
  10003: { finding: 'does not exist', fix: COPY_ID },
  50035: { finding: 'is not the id of a channel', fix: COPY_ID },
};
