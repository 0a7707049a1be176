import { jest } from '@jest/globals';
import { REST } from '@discordjs/rest';
import { createManualClock } from '../slack/manual-clock.ts';
import { type DiscordSimulator, type DiscordSimulatorOptions, startDiscordSimulator } from './server.ts';

/** Real clients and Discord's own document take their time to load where many tests run at once. */
jest.setTimeout(30_000);

const running: DiscordSimulator[] = [];

/** A simulator under a clock moved by hand, and the real REST client that talks to it, with retries off. */
export async function setUp(options: DiscordSimulatorOptions = {}) {
  const clock = createManualClock();
  const shared = process.env['PARLEY_SHARED'];
  const simulator = await startDiscordSimulator({ clock: clock.now, after: clock.after, shared, ...options });
  running.push(simulator);
  const rest = new REST({ api: `${simulator.url}/api`, version: '10', retries: 0, rejectOnRateLimit: ['/'] });
  rest.setToken(simulator.botToken);
  return { clock, simulator, rest, core: simulator.core };
}

export async function tearDown(): Promise<void> {
  for (const simulator of running.splice(0)) await simulator.close();
}
