import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readId, readString } from '../../shared/platforms/discord/api/json-path.ts';
import type { Message } from '../simulators/slack/index.ts';
import { answerOf } from '../upstream/raw-server.ts';
import { answersIn, dataFolder, queuesAreEmpty, waitUntil, contentOf } from './harness.ts';
import { RAW_KEY, RawModelServer } from './raw-model-server.ts';

// A workspace in Slack with an API key of its own, and a guild in Discord on the key of the deployment.
const OWN_KEY = 'sk-canary-own-key-0123456789';
const folder = dataFolder();
const server = new RawModelServer();
let journey: Awaited<ReturnType<RawModelServer['start']>>;

beforeAll(async () => {
  server.secrets.push(OWN_KEY);
  journey = await server.start(folder.path, {}, { relay: true });
  // A message before the relay is connected is lost, as on the real Discord.
  await waitUntil(() => journey.system.discord.gateway?.connected === 1);
  await setKey(OWN_KEY);
});
afterAll(async () => {
  await journey.close();
  folder.remove();
});

/** The ephemeral message with these words that this action shows to Ada. */
async function untilNotified(words: RegExp, act: () => Promise<unknown>): Promise<Message> {
  const { slack } = journey;
  const ephemeral = () =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter((one) => one.ephemeralTo);
  const before = new Map(ephemeral().map((one) => [one.ts, contentOf(one)]));
  await act();
  return slack.core.until(() =>
    ephemeral().findLast((one) => before.get(one.ts) !== contentOf(one) && words.test(contentOf(one))),
  );
}

async function setKey(key: string): Promise<void> {
  const { slack, system } = journey;
  const card = await untilNotified(/Set a key/u, () => slack.command('ada', '/parley key'));
  await slack.press('ada', card.ts, 'Set a key…');
  await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
  await untilNotified(/key/u, () => slack.submit('ada', { key }));
  await queuesAreEmpty(system);
}

const credentials = (part: string): string[] =>
  server.requests
    .filter(({ body }) => JSON.stringify(body['messages'] ?? '').includes(part))
    .map(({ headers }) => headers['authorization'] ?? '');

test('a limit of its key does not delay those who use the key of the deployment', async () => {
  const { slack, system } = journey;
  const error = { message: 'No.', type: 'x', code: 'rate_limit_exceeded', param: null };
  let isLimited = true;
  server.respond('the sea', (_, { headers }) =>
    isLimited && headers['authorization'] === `Bearer ${OWN_KEY}`
      ? { status: 429, headers: { 'retry-after': '2' }, json: { error } }
      : { events: answerOf('All is well.') },
  );
  const thread = await slack.say('ada', '@parley Tell me about the sea.');
  await waitUntil(() => credentials('the sea').length === 1);
  const { simulator: discord } = system.discord;
  if (!discord) throw new Error('Discord is real');
  const root = discord.core.say('ada', '@parley Tell me about the sea, too.');
  const answer = await discord.core.until(() =>
    discord.core.messages(root).find((one) => {
      const isOurs = readId(one, 'author', 'id') === discord.applicationId;
      return isOurs && readString(one, 'content')?.includes('All is well.');
    }),
  );
  expect(answer).toBeDefined();
  isLimited = false;
  const [inSlack] = await answersIn(slack, thread);
  expect(inSlack?.text).toBe('All is well.');
  const [first, ...others] = credentials('the sea');
  expect(first).toBe(`Bearer ${OWN_KEY}`);
  expect(others.toSorted()).toEqual([`Bearer ${RAW_KEY}`, `Bearer ${OWN_KEY}`].toSorted());
});

test('its key that the server rejects (401) is not sent again: the key of the deployment answers, and the card says so', async () => {
  const { slack, system } = journey;
  server.respond('the moon', (_, { headers }) =>
    headers['authorization'] === `Bearer ${OWN_KEY}`
      ? { status: 401, json: { error: { message: 'No.', type: 'x', code: 'invalid_api_key', param: null } } }
      : { events: answerOf('All is well.') },
  );
  const ask = async () => {
    const thread = await slack.say('ada', '@parley Tell me about the moon.');
    const [answer] = await answersIn(slack, thread);
    await queuesAreEmpty(system);
    return answer?.text;
  };
  expect([await ask(), await ask()]).toEqual(['All is well.', 'All is well.']);
  expect(credentials('the moon')).toEqual([OWN_KEY, RAW_KEY, RAW_KEY].map((key) => `Bearer ${key}`));
  await untilNotified(/The model server rejected it.*the operator’s key/u, () =>
    slack.command('ada', '/parley key'),
  );
});
