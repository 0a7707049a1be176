import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type DiscordSimulator, startDiscordSimulator } from '../../simulators/discord/index.ts';
import { sideOf } from '../discord/side.ts';
import { contract, type Side } from './contract.ts';

let discord: DiscordSimulator;
let side: Side;

beforeAll(async () => {
  discord = await startDiscordSimulator({ shared: process.env['PARLEY_SHARED'], insistOnUserAgent: true });
});
afterAll(() => discord.close());
beforeEach(() => {
  discord.reset();
  side = sideOf(discord);
});

contract('Discord', () => side, { message: 2_000, messages: 5 });
