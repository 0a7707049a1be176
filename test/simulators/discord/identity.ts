import { CHANNEL } from './flags.ts';
import type { Channel, Guild, User } from './state.ts';

/** The initial content of this Discord. */
export type Identity = {
  readonly applicationId: string;
  /** The bot; its id is that of the application, as with all newer ones. */
  readonly botName: string;
  readonly botToken: string;
  readonly users: readonly User[];
  readonly guilds: readonly Guild[];
  readonly channels: readonly Channel[];
  /** Whether MESSAGE_CONTENT is enabled for the app; without it, messages of people have no content. */
  readonly messageContent: boolean;
  /** Whether Activities are enabled, which creates the entry point command "Launch". */
  readonly entryPoint: boolean;
};

export const ADA = '101000000000000001';
export const GRACE = '101000000000000002';
export const LIN = '101000000000000003';
export const GUILD = '201000000000000001';
export const GENERAL = '301000000000000001';
/** A guild without the bot: people use it there as a user-installed app. */
export const ELSEWHERE = '201000000000000002';
/** A voice channel with its text chat. */
export const HANGOUT = '301000000000000004';
export const LOUNGE = '301000000000000009';

export const DEFAULT_IDENTITY: Identity = {
  applicationId: '901000000000000001',
  botName: 'Parley',
  botToken: 'simulated.discord.token',
  users: [
    { id: ADA, username: 'ada', name: 'Ada Lovelace' },
    { id: GRACE, username: 'grace', name: 'Grace Hopper' },
    { id: LIN, username: 'lin', name: 'Lin Wang', locale: 'zh-CN' },
  ],
  guilds: [
    {
      id: GUILD,
      name: 'Parley Commons',
      owner: ADA,
      members: [ADA, GRACE, LIN],
      tier: 0,
      installed: true,
      denied: '0',
    },
    {
      id: ELSEWHERE,
      name: 'Another place',
      owner: GRACE,
      members: [ADA, GRACE],
      tier: 0,
      installed: false,
      denied: '0',
    },
  ],
  channels: [
    { id: GENERAL, type: CHANNEL.text, name: 'general', guild: GUILD },
    { id: '301000000000000002', type: CHANNEL.text, name: 'voices', guild: GUILD },
    { id: '301000000000000003', type: CHANNEL.forum, name: 'questions', guild: GUILD },
    { id: HANGOUT, type: CHANNEL.voice, name: 'hangout', guild: GUILD },
    { id: LOUNGE, type: CHANNEL.text, name: 'lounge', guild: ELSEWHERE },
  ],
  messageContent: true,
  entryPoint: false,
};
