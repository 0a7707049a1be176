import { expect, test } from '@jest/globals';
import { runRandomSchedules } from './explore.ts';
import { FaultHarness } from './harness.ts';
import type { Story } from './story.ts';

/** Asks the table again and again, without a pause. */
const ENDLESS: Story = {
  name: 'endless',
  async play() {
    const harness = new FaultHarness(0, () => undefined);
    const worker = harness.spawn('worker 1');
    void (async () => {
      for (;;) await worker.effect('get tokens', () => undefined);
    })();
    await harness.run(1_000);
    return { points: harness.points, wrong: [], trace: () => [], gaveUp: true };
  },
};

test('a run that does not end by itself is ended and reported', async () => {
  const { findings } = await runRandomSchedules(ENDLESS, [7]);
  expect(findings).toEqual([{ replay: 'endless:seed:7', wrong: ['more than 100000 requests'], trace: [] }]);
});
