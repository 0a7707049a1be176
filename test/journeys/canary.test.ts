import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { askCanary, type CanaryDeps, CanaryError } from '../../functions/composition/canary-question.ts';
import { createWebCall } from '../../shared/platforms/slack/index.ts';
import { ROUTES } from '../../shared/runtime/shared-names.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness, queuesAreEmpty } from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path);
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/**
 * The canary of the running system. Its clock advances only by its sleeps, during which the system does all its work.
 */
function canaryOf({ slack, system }: JourneyHarness, changes: Partial<CanaryDeps> = {}): CanaryDeps {
  let slept = 0;
  const startedAt = Date.now();
  return {
    call: createWebCall({ slackApiUrl: slack.apiUrl, token: async () => slack.botToken }),
    post: async (body, headers) =>
      (await fetch(`${system.local.api}${ROUTES.slackEvents}`, { method: 'POST', body, headers })).status,
    signingSecret: async () => slack.signingSecret,
    channel: slack.channel,
    person: 'U0ADA00000',
    time: {
      now: () => startedAt + slept,
      sleep: async (ms) => {
        slept += ms;
        await queuesAreEmpty(system);
      },
    },
    random: () => 0.4,
    ...changes,
  };
}

test('the canary sends its question like a person, and finds the answer', async () => {
  expect(await askCanary(canaryOf(journey))).toBeLessThanOrEqual(120_000);
});

test('the canary fails when the front rejects the question or no answer comes', async () => {
  const wrong = canaryOf(journey, { signingSecret: async () => 'another' });
  await expect(askCanary(wrong)).rejects.toThrow(new CanaryError('the front answered 401'));
  const lost = canaryOf(journey, { post: async () => 200 });
  await expect(askCanary(lost)).rejects.toThrow(new CanaryError('no answer within 120 s'));
});
