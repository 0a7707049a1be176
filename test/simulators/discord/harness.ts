import { REST } from '@discordjs/rest';
import { createRequire } from 'node:module';
import * as v from 'valibot';
import { createManualClock } from '../manual-clock.ts';
import { type DiscordSimulator, type DiscordSimulatorOptions, startDiscordSimulator } from './server.ts';

const undiciOf = v.object({
  Agent: v.custom<new () => Parameters<REST['setAgent']>[0]>((of) => typeof of === 'function'),
});

const running: DiscordSimulator[] = [];

/** A simulator under a clock moved by hand, and the real REST client that talks to it, with retries off. */
export async function setUp(options: DiscordSimulatorOptions = {}) {
  const clock = createManualClock();
  const simulator = await startDiscordSimulator({ clock: clock.now, after: clock.after, ...options });
  running.push(simulator);
  const rest = new REST({ api: `${simulator.url}/api`, version: '10', retries: 0, rejectOnRateLimit: ['/'] });
  // discord.js brings an undici of its own, whose agent would be asked by all, and knows no files of this one's.
  const { Agent } = v.parse(undiciOf, createRequire(import.meta.resolve('@discordjs/rest'))('undici'));
  rest.setAgent(new Agent());
  rest.setToken(simulator.botToken);
  return { clock, simulator, rest, core: simulator.core };
}

export async function tearDown(): Promise<void> {
  for (const simulator of running.splice(0)) await simulator.close();
}
