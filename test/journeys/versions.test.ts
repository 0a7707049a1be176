import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { slackAsker } from './slack-asker.ts';
import { answersIn, botMessages, queuesAreEmpty, waitUntil } from './harness.ts';

/** A person requests three versions of an answer in one request, and chooses the one that the thread continues with. */
let harness: DiscordHarness;
const { typed, ask } = slackAsker(() => harness.journey());

beforeAll(async () => {
  harness = await startDiscordHarness();
});
afterAll(() => harness.close());

/** A question whose answers differ. */
const QUESTION = 'Tell me of the sea. [[sim:tokens=30]]';
const lastBody = (): unknown =>
  harness.journey().upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'))?.body;
/** Sets what the model server does with `n`, which the service does not document. */
function setChoices(choices: 'generate' | 'ignore' | 'reject'): void {
  const { control } = harness.journey().upstream;
  control.change({ lenient: { ...control.settings().lenient, choices } });
}

/** Asks for three versions of a server that does this with `n`. Returns the statuses of its responses, the first `n`, and the card of `why`. */
async function askForThree(choices: 'ignore' | 'reject') {
  setChoices(choices);
  await typed('/parley settings versions 3');
  const { sent, why } = await ask(QUESTION);
  await typed('/parley settings versions reset');
  setChoices('generate');
  return { statuses: sent.map(({ status }) => status), body: sent[0]?.body, why };
}

/** What `why` says of an `n` that had no effect. */
const LEFT_OUT = expect.stringMatching(/Left out for this model\*\\nn"/u);

/** Resolves once a message of the bot in the Slack thread shows this. */
const untilShown = (thread: string, words: RegExp) => {
  const { slack } = harness.journey();
  return slack.core.until(() =>
    botMessages(slack, thread).find(
      ({ blocks, stream }) => stream?.open !== true && words.test(JSON.stringify(blocks ?? [])),
    ),
  );
};

describe('in Slack', () => {
  test('“Three versions” requests three, and the chosen one becomes the answer of the thread', async () => {
    const { slack, system, upstream } = harness.journey();
    const thread = await slack.say('ada', `@parley ${QUESTION}`);
    const [answer] = await answersIn(slack, thread);
    expect(lastBody()).not.toHaveProperty('n');
    await slack.press('ada', answer?.ts ?? '', 'Three versions');
    const first = await untilShown(thread, /Version 2.*Version 3/su);
    expect(lastBody()).toMatchObject({ n: 3 });
    const requests = upstream.journal.length;
    await queuesAreEmpty(system);
    await slack.press('ada', first.ts, 'Version 3');
    const third = await untilShown(thread, /Version 1.*Version 2/su);
    expect(third.ts).toBe(first.ts);
    expect(third.text).not.toBe(first.text);
    expect(upstream.journal).toHaveLength(requests);
    await queuesAreEmpty(system);
    await slack.say('ada', 'And of the land?', { thread });
    await answersIn(slack, thread, 2);
    expect(lastBody()).toMatchObject({
      messages: expect.arrayContaining([{ role: 'assistant', content: third.text }]),
    });
  });

  test('the setting requests versions of each answer', async () => {
    expect(await typed('/parley settings versions 4')).not.toContain('`versions` is now');
    await typed('/parley settings versions 2');
    const { slack } = harness.journey();
    const thread = await slack.say('ada', `@parley ${QUESTION}`);
    await untilShown(thread, /Version 2/u);
    expect(lastBody()).toMatchObject({ n: 2 });
    await typed('/parley settings versions reset');
  });

  test('a server that ignores `n` gives one answer, and `why` says that `n` had no effect', async () => {
    expect(await askForThree('ignore')).toMatchObject({ statuses: [200], body: { n: 3 }, why: LEFT_OUT });
  });

  test('words to avoid are an instruction to the model', async () => {
    await typed('/parley settings avoid delve, "tapestry"');
    const { sent } = await ask('What is 30 + 5?');
    expect(JSON.stringify(sent[0]?.body)).toContain('Do not use these words');
    expect(JSON.stringify(sent[0]?.body)).toContain('delve');
    await typed('/parley settings avoid reset');
    expect(JSON.stringify((await ask('What is 30 + 6?')).sent)).not.toContain('Do not use these words');
  });
});

describe('in Discord', () => {
  test('“Three versions” requests three, and a button shows another one', async () => {
    const discord = harness.discord();
    const { system } = harness.journey();
    await waitUntil(() => system.discord.gateway?.connected === 1);
    const thread = discord.say('ada', undefined, `@Parley ${QUESTION}`);
    const [answer] = await harness.answers(ADA, 1, thread);
    await queuesAreEmpty(system);
    await discord.press('ada', answer?.id ?? '', button(answer?.one, 'press.version'));
    const first = await harness.once(ADA, /Version 2/u, thread);
    expect(lastBody()).toMatchObject({ n: 3 });
    await queuesAreEmpty(system);
    await discord.press('ada', first.id, button(first.one, 'press.version'));
    const second = await harness.once(ADA, /Version 1/u, thread);
    expect(second.id).toBe(first.id);
    expect(second.text).not.toBe(first.text);
  });
});

// Last: a client does not send a model a field again that it rejected.
test('a server that rejects `n` gets the request without it, and `why` says that `n` had no effect', async () => {
  expect(await askForThree('reject')).toMatchObject({ statuses: [400, 200], body: { n: 3 }, why: LEFT_OUT });
});
