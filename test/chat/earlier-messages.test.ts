import { streamsOnly } from '../fakes/streams-only.ts';
import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { expect, test } from '@jest/globals';
import { messageId, type Thread, userId, workspaceId } from '../../shared/domain/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import type { Reply, EarlierMessages } from '../../shared/platforms/ports/index.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { NEVER_STOPPED } from '../fakes/recordings.ts';
import { commandHarness } from '../commands/command-harness.ts';
import { endEvent, FakeReply, fakePlatform } from './completion-harness.ts';
import { THREAD } from './thread-harness.ts';

test('the recording at the root of a thread is looked up once, by the first question below it', async () => {
  const looked: string[] = [];
  const read: string[] = [];
  const recordings = {
    ...NEVER_STOPPED,
    find: async () => undefined,
    listChunks: async () => [],
    begin: async () => undefined,
    transcriptText: async () => undefined,
    attributedTranscript: async (_: Thread, message: string) => void looked.push(message),
  };
  const earlier = async ({ message }: { readonly message: string }) => {
    read.push(message);
    return { messages: [] };
  };
  const at = commandHarness({
    platform: { ...fakePlatform(), fetchEarlierMessages: earlier },
    transcription: { queue: new FakeQueue(), recordings },
  });
  const ask = async (id: string, root: string) => {
    const thread = { ...THREAD, root: messageId(root) };
    const by = { author: userId('U1'), authorWorkspace: workspaceId('T1') };
    const message = { thread, id: messageId(id), ...by, text: 'Why?', attachments: [] };
    await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(at.context));
    const [sent] = at.queue.sent.splice(0);
    await dispatchTask(sent?.body ?? '', at.context, {
      deadline: at.time.now() + 60_000,
      isRedelivery: false,
      isLast: false,
    });
  };
  await ask('1.1', '1.1');
  expect(looked).toEqual([]);
  await ask('2.2', '2.1');
  await ask('2.3', '2.1');
  expect(looked).toEqual(['2.1']);
  // Each first question reads the earlier messages, and no other question does.
  expect(read).toEqual(['1.1', '2.2']);
});

test.each([false, true])(
  'a first question answers without reading the messages after it, unless it is redelivered (%s)',
  async (again) => {
    const prompts: string[] = [];
    const at = commandHarness({
      chat: {
        ...streamsOnly,
        async *stream(prompt) {
          prompts.push(JSON.stringify(prompt.at(-1)?.content));
          yield endEvent('Because.');
        },
      },
    });
    const by = { author: userId('U1'), authorWorkspace: workspaceId('T1'), attachments: [] };
    for (const [id, text] of [
      ['1.1', 'Why?'],
      ['1.2', 'Since when?'],
    ] as const) {
      const message = { thread: THREAD, id: messageId(id), ...by, text, addressed: 'mention' } as const;
      await acceptQuestion(message, intakeWithin(at.context));
    }
    const delivery = { deadline: at.time.now() + 60_000, isRedelivery: again, isLast: false };
    for (const { body } of at.queue.sent.splice(0)) await dispatchTask(body, at.context, delivery);
    // Answered in any case: merged, or next.
    expect(prompts.join()).toContain('Since when?');
    expect(prompts).toHaveLength(again ? 1 : 2);
  },
);

test('a note reports earlier messages that the platform did not return; the next question or Regenerate reads them', async () => {
  const prompts: string[] = [];
  const answers: string[] = [];
  const limited: EarlierMessages = { messages: [], retryAfterMs: 42_000 };
  let before = limited;
  const reply = (): Reply => {
    const fakeReply = new FakeReply();
    return Object.assign(fakeReply, { publish: async (text: string) => (answers.push(text), []) });
  };
  const at = commandHarness({
    platform: { ...fakePlatform(), fetchEarlierMessages: async () => before, reply },
    chat: {
      ...streamsOnly,
      async *stream(prompt) {
        prompts.push(JSON.stringify(prompt.at(-1)?.content));
        yield endEvent('Because.');
      },
    },
  });
  const by = { author: userId('U1'), authorWorkspace: workspaceId('T1') };
  const delivery = () => ({ deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false });
  const ask = async (id: string, text: string) => {
    const message = { thread: THREAD, id: messageId(id), ...by, text, attachments: [] };
    await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(at.context));
    for (const { body } of at.queue.sent.splice(0)) await dispatchTask(body, at.context, delivery());
  };
  await ask('1.2', 'Why?');
  expect(answers.at(-1)).toMatch(
    /could not read the earlier messages.*Slack lets me read here again in about 42 s.*Because/su,
  );
  expect(prompts.at(-1)).toContain('did not let you read');

  before = { messages: [{ author: 'grace', text: 'The 9th of May.', at: 0 }], retryAfterMs: 42_000 };
  const redo = {
    v: 1,
    kind: 'redo',
    ...turnOf('1.2'),
    key: 'press-1',
    by: 'U1',
    round: 0,
    how: { kind: 'regenerate' },
  };
  await dispatchTask(JSON.stringify(redo), at.context, delivery());
  expect(prompts.at(-1)).toMatch(/grace: The 9th of May.*Why/su);
  expect(answers.at(-1)).toMatch(/only a few messages a minute: 1 was read.*Because/su);

  await ask('1.3', 'And then?');
  expect(prompts.at(-1)).not.toContain('9th of May');
});

test('the next question reads the earlier messages, and reports them no more', async () => {
  const prompts: string[] = [];
  let before: EarlierMessages = { messages: [], retryAfterMs: 42_000 };
  const at = commandHarness({
    platform: { ...fakePlatform(), fetchEarlierMessages: async () => before },
    chat: {
      ...streamsOnly,
      async *stream(prompt) {
        prompts.push(JSON.stringify(prompt));
        yield endEvent('Because.');
      },
    },
  });
  for (const id of ['1.2', '1.3', '1.4']) {
    const by = { author: userId('U1'), authorWorkspace: workspaceId('T1') };
    const message = { thread: THREAD, id: messageId(id), ...by, text: 'Why?', attachments: [] };
    await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(at.context));
    const delivery = { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false };
    for (const { body } of at.queue.sent.splice(0)) await dispatchTask(body, at.context, delivery);
    before = { messages: [{ author: 'grace', text: id, at: 0 }] };
  }
  // With the second question, and not with the third, whose history contains it.
  expect(prompts.map((prompt) => prompt.split('grace: ').length - 1)).toEqual([0, 1, 1]);
  expect(prompts.at(-1)).toContain('grace: 1.2');
});

const turnOf = (message: string) => ({ thread: THREAD, message, asker: 'U1', askerWorkspace: 'T1' });
