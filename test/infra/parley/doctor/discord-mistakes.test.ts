import { describe } from '@jest/globals';
import { DEFAULT_IDENTITY, GENERAL, LOUNGE } from '../../../simulators/discord/index.ts';
import { PERMISSION } from '../../../simulators/discord/flags.ts';
import { type Mistake, testMistakes, without } from './mistake.ts';

/** The channel denies the bot a permission. */
const withoutPermission = (permission: bigint) => ({
  channels: DEFAULT_IDENTITY.channels.map((channel) =>
    channel.id === GENERAL ? { ...channel, denied: String(permission) } : channel,
  ),
});

const mistakes: readonly Mistake[] = [
  {
    title: 'the bot token is wrong',
    change: (all) => ({ ...all, DISCORD_BOT_TOKEN: 'not.the.token' }),
    problem: 'fail DISCORD_BOT_TOKEN',
    finding: /401/,
    fix: /Reset Token/,
  },
  {
    title: 'the bot token is a client secret',
    // The real Discord: a test server may have tokens of another form. A malformed one is not sent.
    change: (all) => ({ ...without(all, 'DISCORD_API_URL'), DISCORD_BOT_TOKEN: 'abcdefghijklmnop' }),
    problem: 'fail DISCORD_BOT_TOKEN',
    finding: /malformed/,
    fix: /three parts with dots/,
  },
  {
    title: 'the application id and the public key are swapped',
    change: (all) => ({
      ...all,
      DISCORD_APPLICATION_ID: all['DISCORD_PUBLIC_KEY'],
      DISCORD_PUBLIC_KEY: all['DISCORD_APPLICATION_ID'],
    }),
    problem: 'fail DISCORD_APPLICATION_ID',
    others: ['fail DISCORD_PUBLIC_KEY'],
    finding: /something like a public key/,
    fix: /digits.*General Information/,
  },
  {
    title: 'the application id is of another application',
    change: (all) => ({ ...all, DISCORD_APPLICATION_ID: '901000000000000002' }),
    problem: 'fail DISCORD_APPLICATION_ID',
    finding: /which is of 901000000000000001/,
    fix: /Copy both from General Information/,
  },
  {
    title: 'the public key is of another application',
    change: (all) => ({ ...all, DISCORD_PUBLIC_KEY: 'cd'.repeat(32) }),
    problem: 'fail DISCORD_PUBLIC_KEY',
    finding: /not that of the application/,
    fix: /General Information/,
  },
  {
    title: 'Message Content Intent is off, and all messages are to be read',
    world: { discord: { messageContent: false } },
    change: (all) => ({ ...all, DISCORD_MESSAGES: 'all' }),
    problem: 'fail DISCORD_MESSAGES',
    finding: /does not allow/,
    fix: /Message Content Intent/,
  },
  {
    title: 'no address for interactions is entered',
    change: (all, { discord }) => {
      discord.setDeliverTo(undefined);
      return all;
    },
    problem: 'warn Discord interactions',
    finding: /no Interactions Endpoint URL/,
    fix: /\/discord\/interactions/,
  },
  {
    title: 'nothing answers at the address for interactions',
    change: (all, { discord }) => {
      discord.setDeliverTo('https://parley.invalid');
      return all;
    },
    problem: 'fail Discord interactions',
    finding: /https:\/\/parley\.invalid could not be reached/,
    fix: /Start Parley, and the tunnel/,
  },
  {
    title: 'the tunnel answers, but not Parley behind it',
    world: { callbackStatus: 502 },
    problem: 'fail Discord interactions',
    finding: /what is behind it does not \(502\)/,
    fix: /Start Parley/,
  },
  {
    title: 'Parley fails behind the tunnel',
    world: { callbackStatus: 500 },
    problem: 'fail Discord interactions',
    finding: /what is behind it does not \(500\)/,
    fix: /Start Parley/,
  },
  {
    title: 'the tunnel has reached a limit',
    world: { callbackStatus: 429 },
    problem: 'fail Discord interactions',
    finding: /accepts no more requests at the moment \(429\)/,
    fix: /the tunnel allows no more requests/,
  },
  {
    title: 'something else answers at the address for interactions',
    world: { callbackStatus: 200 },
    problem: 'fail Discord interactions',
    finding: /with 200 rather than 401/,
    fix: /Interactions Endpoint URL/,
  },
  {
    title: 'no command is registered',
    change: (all, { discord }) => {
      discord.core.reset();
      return all;
    },
    problem: 'warn Discord commands',
    finding: /knows no command/,
    fix: /npm run discord:register/,
  },
  {
    title: 'the commands are of another version',
    change: (all, { discord }) => {
      const { state } = discord.core;
      state.commands.set('global', (state.commands.get('global') ?? []).slice(1));
      return all;
    },
    problem: 'warn Discord commands',
    finding: /differ from those of this version: \+ \//,
    fix: /npm run discord:register/,
  },
  {
    title: 'the bot may not write in the channel',
    world: { discord: withoutPermission(PERMISSION.sendMessages) },
    input: { discordChannel: GENERAL },
    problem: `fail Discord channel ${GENERAL}`,
    finding: /does not give the bot: Send Messages\. It cannot answer there/,
    fix: /settings > Permissions/,
  },
  {
    title: 'the bot may not attach files in the channel',
    world: { discord: withoutPermission(PERMISSION.attachFiles) },
    input: { discordChannel: GENERAL },
    problem: `warn Discord channel ${GENERAL}`,
    finding: /does not give the bot: Attach Files\.$/,
    fix: /docs\/discord\.md, Permissions/,
  },
  {
    title: 'the bot is in no server',
    world: { discord: { guilds: DEFAULT_IDENTITY.guilds.map((guild) => ({ ...guild, installed: false })) } },
    problem: 'warn Discord servers',
    finding: /not added to any/,
    fix: /https:\/\/discord\.com\/oauth2\/authorize\?client_id=901/,
  },
  {
    title: 'the bot is not in the server of the channel',
    input: { discordChannel: LOUNGE },
    problem: `fail Discord channel ${LOUNGE}`,
    finding: /cannot be seen by the bot \(50001\)/,
    fix: /View Channel and Send Messages/,
  },
  {
    title: 'the channel does not exist',
    input: { discordChannel: `${GENERAL}9` },
    problem: `fail Discord channel ${GENERAL}9`,
    finding: /does not exist \(10003\)/,
    fix: /Copy Channel ID/,
  },
];

describe('Discord', () => {
  testMistakes(mistakes);
});
