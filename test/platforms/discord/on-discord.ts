import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import {
  type DiscordSimulator,
  type DiscordSimulatorOptions,
  startDiscordSimulator,
} from '../../simulators/discord/index.ts';
import type { PlatformUnderTest } from '../contract/platform-under-test.ts';
import { replaceClock, restoreClock } from './clock.ts';
import { discordUnderTest } from './discord-under-test.ts';

/** The simulated Discord of the running suite, empty for each test, and the platform on it. */
export let discord: DiscordSimulator;
export let side: PlatformUnderTest;

/** Called once by a suite that needs them. */
export function onDiscord(options: DiscordSimulatorOptions = {}): void {
  beforeAll(async () => {
    discord = await startDiscordSimulator({ shared: process.env['PARLEY_SHARED'], ...options });
  });
  afterAll(() => discord.close());
  afterEach(restoreClock);
  beforeEach(() => {
    replaceClock();
    discord.reset();
    side = discordUnderTest(discord);
  });
}
