import { OAuth2Scopes, PermissionFlagsBits } from 'discord.js';
import { config } from 'dotenv';
import { INTENTS, type Profile } from '../../shared/platforms/discord/gateway/index.ts';

/** `npm run discord:invite`: prints the invite URL of the bot and the permissions that it requests. */

/** Permissions that the bot needs, with the reason. */
const REQUIRED_PERMISSIONS = {
  ViewChannel: 'read questions',
  SendMessages: 'answer in a channel',
  CreatePublicThreads: 'open a thread below a question',
  SendMessagesInThreads: 'answer in threads',
  ReadMessageHistory: 'reply to a question, read earlier messages',
  AttachFiles: 'send long answers and tables as files, videos',
  AddReactions: 'show that a question was seen',
  SendVoiceMessages: 'post spoken answers',
} as const satisfies Partial<Record<keyof typeof PermissionFlagsBits, string>>;

export type Invite = {
  readonly url: string;
  readonly permissions: bigint;
  readonly reasons: readonly { readonly name: string; readonly why: string }[];
  readonly intents: number;
};

/** Builds the invite. Without the relay (`profile` undefined) the bot uses no gateway, so it needs no intents. */
export function buildInvite(applicationId: string, profile: Profile | undefined): Invite {
  const reasons = Object.entries(REQUIRED_PERMISSIONS).map(([name, reason]) => ({ name, why: reason }));
  const permissions = reasons.reduce(
    (all, { name }) => all | (Object.entries(PermissionFlagsBits).find(([flag]) => flag === name)?.[1] ?? 0n),
    0n,
  );
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '),
    permissions: String(permissions),
  });
  const url = `https://discord.com/oauth2/authorize?${query.toString()}`;
  return { url, permissions, reasons, intents: profile === undefined ? 0 : INTENTS[profile] };
}

/** Returns the lines to print. */
export function formatInvite(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { DISCORD_APPLICATION_ID: id, DISCORD_MESSAGES: messages } = env;
  if (!id)
    return [
      'DISCORD_APPLICATION_ID is needed: discord.com/developers/applications > your app > General Information',
    ];
  const profile = messages === 'mentions' || messages === 'all' ? messages : undefined;
  const { url, permissions, reasons, intents } = buildInvite(id, profile);
  return [
    url,
    '',
    `Permissions ${permissions}:`,
    ...reasons.map(({ name, why: reason }) => `  ${name.padEnd(22)} ${reason}`),
    profile === undefined
      ? 'No intents. If the relay runs, set DISCORD_MESSAGES to mentions or all.'
      : `Intents of the relay (${profile}): ${intents}${profile === 'all' ? '; switch on Message Content under Bot in the developer portal' : ''}`,
  ];
}

if (import.meta.main) {
  config({ quiet: true });
  const lines = formatInvite(process.env);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = lines.length > 1 ? 0 : 1;
}
