import { BARE_INTAKE } from '../fakes/bare-intake.ts';
import { BARE } from '../fakes/bare-context.ts';
import { describe, expect, test } from '@jest/globals';
import { type AskTask, type IncomingMessage, parseTask, userId } from '../../shared/domain/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { rejectUnauthorized } from '../../shared/worker/dispatch-task.ts';
import type { SettingsLayers } from '../../shared/settings/rules/index.ts';
import { TokenBuckets, Turns } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { TestTime } from '../upstream/time.ts';
import { fakePlatform, TURN } from './completion-harness.ts';

const MESSAGE: IncomingMessage = {
  thread: TURN.thread,
  id: TURN.message,
  author: userId('U9'),
  authorWorkspace: TURN.askerWorkspace,
  bot: ['B9', 'U9', 'A9'],
  text: 'What is up?',
  attachments: [{ id: 'F1', name: 'audio.m4a', mimetype: 'audio/mp4', bytes: 9 }],
  addressed: 'mention',
};
const allowing = (...bots: string[]): SettingsLayers => ({ channel: { values: { bots } } });

async function acceptBot(layers: SettingsLayers, allowedBots: ReadonlySet<string> = new Set()) {
  const [queue, voice] = [new FakeQueue(), new FakeQueue()];
  const turns = {
    isParticipating: () => Promise.resolve(true),
    accept: () => Promise.resolve({ isLate: false, isNew: true }),
    dropDeleted: () => Promise.resolve(false),
    markUnsent: () => Promise.resolve(),
  };
  const choices = { layers: () => Promise.resolve(layers) };
  const outcome = await acceptQuestion(MESSAGE, {
    ...BARE_INTAKE,
    turns,
    queue,
    transcriptionQueue: voice,
    settingsStore: choices,
    allowedBots,
    now: () => 5,
  });
  return { outcome, tasks: queue.sent.map(({ body }) => parseTask(body)), transcriptionTasks: voice.sent };
}

describe('a mention by another bot', () => {
  test.each(['B9', 'U9', 'A9'])('is answered where the channel allows the bot by its id %s', async (id) => {
    const { outcome, tasks, transcriptionTasks } = await acceptBot(allowing('B1', id));
    expect(outcome).toBe('queued');
    expect(tasks).toEqual([expect.objectContaining({ kind: 'ask', asker: 'U9', bot: true })]);
    // Its recordings are not transcribed: nobody requested that.
    expect(transcriptionTasks).toEqual([]);
  });

  test('is answered where the deployment allows the bot', async () => {
    expect((await acceptBot({}, new Set(['A9']))).outcome).toBe('queued');
  });

  test.each([{}, allowing(), allowing('B1')])('is ignored elsewhere: %j', async (layers) => {
    expect(await acceptBot(layers, new Set(['B2']))).toEqual({
      outcome: 'ignored',
      tasks: [],
      transcriptionTasks: [],
    });
  });
});

/** Questions of another bot in one channel, in order, and which of them were answered. */
function asking(layers: SettingsLayers = {}) {
  const time = new TestTime();
  const { now } = time;
  const dynamo = createMemoryDynamo();
  const turns = new Turns({ dynamo, table: 'conversations', days: 30, now });
  const buckets = new TokenBuckets(dynamo, 'tokens', now);
  const whispers: string[] = [];
  const context = {
    ...BARE,
    turns,
    time,
    settings: { ...DEFAULTS, layers },
    platform: {
      ...fakePlatform(),
      postEphemeral: async (_: unknown, __: unknown, words: string) => whispers.push(words) > 0,
    },
    takeBotQuestionPermit: async ({ channel }: { channel: string }) =>
      (await buckets.take(channel, { intervalUs: 60e6, toleranceUs: 60e6 }, { maxWaitMs: 0 })).granted,
  };
  const ask = async (more: Partial<AskTask> = { bot: true }, again = false): Promise<boolean> => {
    await turns.accept(TURN, 'Why?', []);
    const task: AskTask = {
      v: 1,
      kind: 'ask',
      ...TURN,
      question: 'Why?',
      attachments: [],
      receivedAt: now(),
      ...more,
    };
    return (await rejectUnauthorized(task, context, { isRedelivery: again })) === undefined;
  };
  return { ask, time, whispers, records: () => dynamo.items('conversations') };
}

describe('two bots that answer each other', () => {
  test('stop after a few turns without a notice, and the last question leaves no data', async () => {
    const { ask, whispers, records } = asking();
    expect([await ask(), await ask(), await ask()]).toEqual([true, true, false]);
    expect(whispers).toEqual([]);
    expect(records()).toEqual([]);
  });

  test('are counted per question: a question that waits and is redelivered counts once', async () => {
    const { ask } = asking();
    expect(await ask()).toBe(true);
    for (let n = 0; n < 5; n += 1) expect(await ask({ bot: true }, true)).toBe(true);
    expect([await ask(), await ask()]).toEqual([true, false]);
  });

  test('are answered again later; people are answered all the time', async () => {
    const { ask, time } = asking();
    while (await ask());
    expect(await ask({})).toBe(true);
    time.advance(61_000);
    expect(await ask()).toBe(true);
  });
});

test('an allowed bot need not be in the list of allowed people, but a denied bot is ignored', async () => {
  expect(await asking({ workspace: { values: { allowed: ['U1'] } } }).ask()).toBe(true);
  const denied = asking({ workspace: { values: { denied: [TURN.asker] } } });
  expect(await denied.ask()).toBe(false);
  expect(denied.whispers).toEqual([]);
  expect(await denied.ask({})).toBe(false);
  expect(denied.whispers).toEqual([expect.stringMatching(/\w/u)]);
});

test('where the bot is silent, a command gets a notice and a message gets none', async () => {
  const { ask, whispers, records } = asking({ channel: { values: { mentions: 'off' } } });
  expect(await ask({})).toBe(false);
  expect(whispers).toEqual([]);
  expect(await ask({ locale: 'de' })).toBe(false);
  expect(whispers).toEqual(['Hier antworte ich nicht. Ein Admin kann das ändern.']);
  expect(records()).toEqual([]);
});
