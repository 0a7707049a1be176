import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Message } from '../simulators/slack/index.ts';
import { answersIn, botMessages, dataFolder, happens, type Journey, startJourney } from './system.ts';

const folder = dataFolder();
let journey: Journey;

beforeAll(async () => {
  journey = await startJourney(folder.path);
}, 240_000);
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const SLOW = '[[sim:tokens=600]] [[sim:slow=20]]';
const ada = (): string => journey.slack.users[0]?.id ?? '';
const shown = (message: Message | undefined): string =>
  JSON.stringify([message?.text, message?.steps, message?.blocks]);
const messageAt = (ts: string): Message | undefined =>
  journey.slack.core.state.messages.get(journey.slack.channel)?.get(ts);

/** Resolves once something of the answer is visible in the thread, as its nth message. */
const begun = (thread: string, nth = 1): Promise<Message> =>
  journey.slack.core.until(() => {
    const message = botMessages(journey.slack, thread)[nth - 1];
    return message?.stream?.open && message.text !== '' ? message : undefined;
  });

/** Resolves once the answers in the thread are finished and the last one reads so. */
const finished = (thread: string, words: RegExp): Promise<Message[]> =>
  journey.slack.core.until(() => {
    const messages = botMessages(journey.slack, thread);
    const last = messages.at(-1);
    const read = words.test(JSON.stringify([last?.text, last?.steps]));
    return read && shown(last).includes('parley:regenerate') ? messages : undefined;
  });

const left = (): number => journey.upstream.journal.filter(({ ended }) => ended === 'gone').length;

describe('while an answer is written', () => {
  test('who asks more sees that it was noticed, and is answered next', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', `@parley Tell me about the sea. ${SLOW}`);
    await begun(thread);
    const second = await slack.say('grace', 'What is 10 + 11?', { thread });
    await slack.core.until(() => messageAt(second)?.reactions?.find(({ name }) => name === 'eyes'));
    expect(botMessages(slack, thread)).toHaveLength(1);
    expect(botMessages(slack, thread)[0]?.stream?.open).toBe(true);
    expect(shown((await finished(thread, /21/u))[1])).toContain('21');
  }, 40_000);

  test('its question is edited: the model is left, and the answer made anew in place', async () => {
    const { slack } = journey;
    const before = left();
    const thread = await slack.say('ada', `@parley Tell me about the sea. ${SLOW}`);
    const first = await begun(thread);
    slack.core.edit(ada(), slack.channel, thread, '@parley What is 20 + 31?');
    await happens(() => left() > before);
    const messages = await finished(thread, /51/u);
    expect(messages.map(({ ts }) => ts)).toEqual([first.ts]);
    expect(messages[0]?.text).not.toContain('sea');
  }, 40_000);

  test('its question is deleted: what was written of it goes, and the next answer knows nothing of it', async () => {
    const { slack, upstream } = journey;
    const before = left();
    const thread = await slack.say('ada', '@parley What is 2 + 2?');
    await answersIn(slack, thread);
    const secret = await slack.say('ada', `My number is 7391. ${SLOW}`, { thread });
    await begun(thread, 2);
    slack.core.remove(ada(), slack.channel, secret);
    await happens(() => left() > before);
    await slack.core.until(() => (botMessages(slack, thread).length === 1 ? true : undefined));
    await slack.say('ada', 'And what is 3 + 3?', { thread });
    await finished(thread, /6/u);
    const asked = upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'));
    expect(JSON.stringify(asked?.body)).not.toContain('7391');
  }, 40_000);
});

describe('until something is visible', () => {
  test.each([
    ['an answer', '[[sim:late=900]] What is 1 + 1?'],
    ['a failure', '[[sim:late=900]] [[sim:cut=0]] What is 1 + 1?'],
  ])(
    'a status says that the bot is at it, and is gone with %s',
    async (_, question) => {
      const { slack } = journey;
      const from = slack.calls.length;
      const thread = await slack.say('ada', `@parley ${question}`);
      await finished(thread, /./u);
      const statuses = () =>
        slack.calls
          .slice(from)
          .filter(({ method }) => method === 'assistant.threads.setStatus')
          .map(({ args }) => args['status']);
      expect(statuses()[0]).toBe('is thinking…');
      await happens(() => statuses().at(-1) === '');
    },
    30_000,
  );
});

test('what the prompt no longer holds the model can search, and people see that it did', async () => {
  const { slack } = journey;
  const thread = await slack.say('ada', '@parley My cat is called Newton.');
  await answersIn(slack, thread);
  for (let n = 2; n <= 8; n += 1) {
    await slack.say('ada', 'Tell me more. [[sim:tokens=1500]]', { thread });
    await slack.core.until(() =>
      botMessages(slack, thread).filter((one) => shown(one).includes('parley:regenerate')).length >= n
        ? true
        : undefined,
    );
  }
  await slack.say('ada', 'What is my cat called? [[sim:tool=search_thread]]', { thread });
  const messages = await finished(thread, /Searching this thread/u);
  expect(messages.at(-1)?.steps).toMatchObject([{ status: 'complete' }]);
}, 60_000);
