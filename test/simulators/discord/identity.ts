import { CHANNEL } from './flags.ts';
import type { Channel, Guild, User } from './state.ts';

/** Who and what this Discord consists of at the beginning. */
export type Identity = {
  readonly applicationId: string;
  /** The bot; its id is that of the application, as with all newer ones. */
  readonly botName: string;
  readonly botToken: string;
  readonly users: readonly User[];
  readonly guilds: readonly Guild[];
  readonly channels: readonly Channel[];
  /** Whether MESSAGE_CONTENT is switched on for the app; without it, what people write comes without words. */
  readonly messageContent: boolean;
  /** Whether Activities are on, which makes the entry point command "Launch". */
  readonly entryPoint: boolean;
};

export const ADA = '101000000000000001';
export const GRACE = '101000000000000002';
export const LIN = '101000000000000003';
export const GUILD = '201000000000000001';
export const GENERAL = '301000000000000001';
/** A guild that the bot is not in: people use it there as an app of their own. */
export const ELSEWHERE = '201000000000000002';
/** A voice channel, which has a chat of its own. */
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
