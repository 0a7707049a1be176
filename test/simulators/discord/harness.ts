import { REST } from '@discordjs/rest';
import { createRequire } from 'node:module';
import * as v from 'valibot';
import { createManualClock } from '../manual-clock.ts';
import { type DiscordSimulator, type DiscordSimulatorOptions, startDiscordSimulator } from './server.ts';

const undiciOf = v.object({
  Agent: v.custom<new () => Parameters<REST['setAgent']>[0]>((of) => typeof of === 'function'),
});

const running: DiscordSimulator[] = [];

/** A simulator with a manual clock, and the real REST client without retries. */
export async function setUp(options: DiscordSimulatorOptions = {}) {
  const clock = createManualClock();
  const simulator = await startDiscordSimulator({ clock: clock.now, after: clock.after, ...options });
  running.push(simulator);
  const rest = new REST({ api: `${simulator.url}/api`, version: '10', retries: 0, rejectOnRateLimit: ['/'] });
  // discord.js has its own undici, whose global agent would be used by all, and does not accept this one's files.
  const { Agent } = v.parse(undiciOf, createRequire(import.meta.resolve('@discordjs/rest'))('undici'));
  rest.setAgent(new Agent());
  rest.setToken(simulator.botToken);
  return { clock, simulator, rest, core: simulator.core };
}

export async function tearDown(): Promise<void> {
  for (const simulator of running.splice(0)) await simulator.close();
}
