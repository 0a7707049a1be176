import { describe, expect, test } from '@jest/globals';
import { createSlackPlatform } from '../../../shared/platforms/slack/index.ts';
import { inBytes } from '../../../shared/platforms/markdown/index.ts';
import { asSeenBy } from '../../simulators/page/workspace.js';
import { createDirectClient } from '../../simulators/slack/direct-client.ts';
import { createWorkspace } from '../../simulators/slack/index.ts';
import { ADA, GRACE } from '../../simulators/slack/harness.ts';
import { fakeTime, openFakeSlack, turn } from '../slack/fake-slack.ts';
import { turnAt } from '../slack/simulated-turn.ts';

const SENTENCES =
  'The sky is blue because air scatters blue light more than red. At dusk it is red, as the way is longer.';

/** A question of Ada, and what each person sees of its answer at any time. */
function startAnswer(where: 'general' | 'dm' = 'general', bytes?: number) {
  const time = fakeTime();
  const workspace = createWorkspace({ clock: time.now });
  const { identity, state } = workspace;
  const channel = where === 'dm' ? `D${ADA.slice(1)}` : workspace.channel;
  const question = workspace.say(ADA, '@parley why?', { channel: where });
  const call = createDirectClient(workspace);
  const platform = createSlackPlatform({
    call,
    time,
    botUserId: identity.botUserId,
    ...(bytes && { limit: inBytes(bytes) }),
  });
  const reply = platform.reply(turnAt({ channel, ...identity }, question), []);
  const seenBy = (person: string): string[] =>
    [...(state.messages.get(channel)?.values() ?? [])]
      .filter(({ user }) => user === identity.botUserId)
      .map((message) => asSeenBy(message, person, time.now()).text);
  const write = async (text: string, msPerWord: number) => {
    const sequences = new Set<string>();
    for (const word of text.split(/(?<= )/u)) {
      reply.write(word);
      await time.advance(msPerWord);
      for (const words of seenBy(GRACE)) sequences.add(words);
    }
    return [...sequences];
  };
  return { time, reply, seenBy, write };
}

describe('in a channel', () => {
  test('other people see a sentence, not one word, until the answer is complete', async () => {
    const { reply, seenBy, write, time } = startAnswer();
    const [first = '', ...more] = await write(`${SENTENCES} ${SENTENCES}`, 30);
    expect(more).toEqual([]);
    expect(first).toMatch(/^The sky .* than red\./u);
    expect(seenBy(ADA)[0]?.length).toBeGreaterThan(first.length);
    await time.until(reply.publish(`${SENTENCES} ${SENTENCES}`));
    expect(seenBy(GRACE)).toEqual([`${SENTENCES} ${SENTENCES}`]);
  });

  test('the first words are held for at most 800 ms', async () => {
    const { reply, seenBy, time } = startAnswer();
    reply.write('The ');
    await time.advance(799);
    expect(seenBy(ADA)).toEqual([]);
    await time.advance(1);
    expect(seenBy(ADA)).toEqual(['The ']);
  });

  test('a step begins the stream at once', async () => {
    const { reply, seenBy, time } = startAnswer();
    reply.write('Wait. ');
    reply.step({ id: '1', title: 'Reading a file', state: 'running' });
    await time.advance(0);
    expect(seenBy(ADA)).toEqual(['Wait. ']);
  });

  test('an answer that is complete before its stream begins is one post', async () => {
    const { reply, seenBy, time } = startAnswer();
    reply.write('42.');
    await time.until(reply.publish('42.'));
    expect(seenBy(GRACE)).toEqual(['42.']);
    expect(time.elapsed()).toBeLessThan(100);
  });

  test('each further message of a long answer begins with a sentence', async () => {
    const { write } = startAnswer('general', 400);
    const sequences = await write(`${SENTENCES} `.repeat(8), 60);
    expect(sequences.filter((words) => !/[.] /u.test(words))).toEqual([]);
    expect(sequences.length).toBeGreaterThan(2);
  });

  test('a step that ends while the next message is held has one card', async () => {
    const { slack, platform, time } = openFakeSlack(() => undefined, 200);
    const reply = platform.reply(turn, []);
    reply.step({ id: 'file', title: 'Reading', state: 'running' });
    reply.write('A sentence that is somewhat long. '.repeat(4));
    await time.advance(2_000);
    reply.write('and then a few more words, one by one');
    await time.advance(1_100);
    expect(slack.methods().at(-1)).toBe('chat.stopStream');
    reply.step({ id: 'file', title: 'Read', state: 'done' });
    await time.advance(3_000);
    expect(slack.messages.map(({ cards }) => cards.has('file'))).toEqual([true, false]);
  });

  test('a short Chinese sentence is meaningful', async () => {
    const { reply, seenBy, time } = startAnswer();
    reply.write('天空是蓝色的，因为空气更多地散射蓝光。');
    await time.advance(0);
    expect(seenBy(GRACE)).toEqual(['天空是蓝色的，因为空气更多地散射蓝光。']);
  });
});

test('in a direct chat the first word is sent at once', async () => {
  const { reply, seenBy, time } = startAnswer('dm');
  reply.write('The ');
  await time.advance(0);
  expect(seenBy(ADA)).toEqual(['The ']);
});
