import { eventually, startRelayHarness } from '../journeys/relay-harness.ts';
import { dataFolder } from '../journeys/harness.ts';
import type { Row } from './report-table.ts';

const MESSAGES = 10_000;

/** The peak memory of the relay's process during ten thousand messages, and its duration. */
export async function relay(): Promise<Row[]> {
  const data = dataFolder();
  const journey = await startRelayHarness(data.path);
  try {
    const { discord, gateway } = journey;
    await eventually(() => gateway.connected === 1);
    const idle = journey.peak();
    const start = performance.now();
    for (let i = 0; i < MESSAGES; i += 1) discord.core.say('grace', `chatter ${i} ${'words '.repeat(20)}`);
    const id = discord.core.say('ada', '@Parley the last question');
    await eventually(async () => (await journey.questions()).some((one) => one.includes(id)));
    const ms = performance.now() - start;
    return [
      { what: 'Relay: memory once connected, peak', value: idle, unit: 'MB' },
      {
        what: `Relay: memory over ${MESSAGES} messages, peak`,
        value: journey.peak(),
        unit: 'MB',
        limit: 100,
      },
      { what: `Relay: from the first of ${MESSAGES} messages to the last on record`, value: ms, unit: 'ms' },
    ];
  } finally {
    await journey.close();
    data.remove();
  }
}
