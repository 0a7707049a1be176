import { OAuth2Scopes, PermissionFlagsBits } from 'discord.js';
import { config } from 'dotenv';
import { INTENTS, type Profile } from '../../shared/platforms/discord/gateway/index.ts';

/** `npm run discord:invite`: the address by which a guild takes the bot on, and what it asks for. */

/** What the bot does there, each by the right that it takes. */
const RIGHTS = {
  ViewChannel: 'read questions',
  SendMessages: 'answer in a channel',
  CreatePublicThreads: 'open a thread below a question',
  SendMessagesInThreads: 'answer in threads',
  ReadMessageHistory: 'reply to a question, read earlier messages',
  AttachFiles: 'send long answers and tables as files, videos',
  AddReactions: 'show that a question was seen',
  SendVoiceMessages: 'post spoken answers',
} as const satisfies Partial<Record<keyof typeof PermissionFlagsBits, string>>;

export type Invitation = {
  readonly url: string;
  readonly permissions: bigint;
  readonly rights: readonly { readonly name: string; readonly why: string }[];
  readonly intents: number;
};

/** What a guild is asked for. Without the relay (`profile` undefined) nothing comes by the gateway: no intents. */
export function invitation(applicationId: string, profile: Profile | undefined): Invitation {
  const rights = Object.entries(RIGHTS).map(([name, why]) => ({ name, why }));
  const permissions = rights.reduce(
    (all, { name }) =>
      all | (Object.entries(PermissionFlagsBits).find(([known]) => known === name)?.[1] ?? 0n),
    0n,
  );
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '),
    permissions: String(permissions),
  });
  const url = `https://discord.com/oauth2/authorize?${query.toString()}`;
  return { url, permissions, rights, intents: profile === undefined ? 0 : INTENTS[profile] };
}

/** The lines that tell of it. */
export function invite(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { DISCORD_APPLICATION_ID: id, DISCORD_MESSAGES: chosen } = env;
  if (!id)
    return [
      'DISCORD_APPLICATION_ID is needed: discord.com/developers/applications > your app > General Information',
    ];
  const profile = chosen === 'mentions' || chosen === 'all' ? chosen : undefined;
  const { url, permissions, rights, intents } = invitation(id, profile);
  return [
    url,
    '',
    `Permissions ${permissions}:`,
    ...rights.map(({ name, why }) => `  ${name.padEnd(22)} ${why}`),
    profile === undefined
      ? 'No intents. If the relay runs, set DISCORD_MESSAGES to mentions or all.'
      : `Intents of the relay (${profile}): ${intents}${profile === 'all' ? '; switch on Message Content under Bot in the developer portal' : ''}`,
  ];
}

if (import.meta.main) {
  config({ quiet: true });
  const lines = invite(process.env);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = lines.length > 1 ? 0 : 1;
}
