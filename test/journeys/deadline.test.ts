import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { ADA } from '../simulators/discord/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages, waitUntil } from './harness.ts';

let harness: DiscordHarness;

/** The worker stops 15 s before the timeout of its function: after 4 s. */
const WORKER_TIMEOUT_S = 19;

const Template = v.looseObject({
  Resources: v.record(
    v.string(),
    v.looseObject({ Properties: v.optional(v.looseObject({ Timeout: v.optional(v.number()) })) }),
  ),
});

/** The template of this source with a short timeout for the worker. */
async function buildWithShortTimeout() {
  const built = await buildTemplate();
  const template = v.parse(Template, built.template);
  const [, worker] =
    Object.entries(template.Resources).find(([id]) => /^WorkerFunction[0-9A-F]{8}$/u.test(id)) ?? [];
  if (!worker?.Properties) throw new Error('the template has no worker');
  worker.Properties.Timeout = WORKER_TIMEOUT_S;
  return { ...built, template };
}

beforeAll(async () => {
  harness = await startDiscordHarness({ build: buildWithShortTimeout });
  // A message before the relay is connected is lost, as on the real Discord.
  await waitUntil(() => harness.journey().system.discord.gateway?.connected === 1);
});
afterAll(() => harness.close());

/** The chat requests with this text that the worker aborted. */
const abandoned = (words: string) =>
  harness
    .journey()
    .upstream.journal.filter(({ body, ended }) => ended === 'gone' && JSON.stringify(body).includes(words));

describe('when the deadline of the function is near', () => {
  test('Slack: the request is closed at once, and the partial answer is shown', async () => {
    const { slack } = harness.journey();
    const thread = await slack.say('ada', '@parley Tell me of Oslo. [[sim:tokens=4000]] [[sim:slow=20]]');
    await waitUntil(() => abandoned('Oslo').length === 1);
    const answer = await slack.core.until(() =>
      botMessages(slack, thread).find(
        ({ text, stream }) => stream?.open !== true && text.includes('was interrupted'),
      ),
    );
    expect(answer.text.length).toBeGreaterThan(100);
  });

  test('Discord: the request is closed at once, also before the first word', async () => {
    const discord = harness.discord();
    const message = discord.say(
      'ada',
      undefined,
      `<@${discord.applicationId}> Tell me of Turku. [[sim:late=60000]]`,
    );
    await waitUntil(() => abandoned('Turku').length === 1);
    const answer = await harness.once(ADA, /did not answer in time/u, message);
    expect(answer.text).not.toBe('');
  });
});
