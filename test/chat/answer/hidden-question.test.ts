import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { acceptQuestion } from '../../../shared/intake/index.ts';
import { intakeWithin } from '../../../shared/intake/within-worker.ts';
import { dispatchTask } from '../../../shared/worker/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { commandHarness } from '../../commands/command-harness.ts';
import { FakeReply, fakePlatform } from '../completion-harness.ts';
import { THREAD, threadHarness } from '../thread-harness.ts';

test('a question that the platform hides gets an explanation, also below earlier messages; no model is asked', async () => {
  const at = commandHarness();
  const published: string[] = [];
  const publish = async (text: string) => {
    published.push(text);
    return [messageId('90')];
  };
  const platform = {
    ...fakePlatform(),
    reply: () => Object.assign(new FakeReply(), { publish }),
    fetchEarlierMessages: async () => ({ messages: [{ author: 'Ada', text: 'We meet on Monday.', at: 1 }] }),
  };
  const chat = {
    ...streamsOnly,
    model: 'm',
    stream: () => {
      throw new Error('a model is asked');
    },
  };
  const context = { ...at.context, platform, chat };
  const thread = {
    platform: 'discord',
    workspace: workspaceId('21'),
    channel: channelId('31'),
    root: messageId('51'),
  } as const;
  const message = { thread, id: messageId('51'), author: userId('41'), authorWorkspace: thread.workspace };
  const question = { ...message, text: '', isHidden: true, attachments: [], addressed: 'mention' as const };
  await acceptQuestion(question, intakeWithin(context));
  for (const { body } of at.queue.sent.splice(0))
    await dispatchTask(body, context, {
      deadline: at.time.now() + 60_000,
      isRedelivery: false,
      isLast: false,
    });
  expect(published).toEqual([expect.stringContaining('my name, not my role')]);
});

test('a question whose words the platform hides gets its explanation after the answer before it, and is not merged there', async () => {
  const { say, queued, prompts, stored, outcome, context } = threadHarness();
  await say('1.1', 'U1', 'Who is there?');
  await queued();
  await say('1.2', 'U1', 'Why?');
  const hidden = { thread: THREAD, id: messageId('1.3'), author: userId('U2'), text: '', isHidden: true };
  await acceptQuestion(
    { ...hidden, authorWorkspace: THREAD.workspace, attachments: [], addressed: 'mention' },
    intakeWithin(context),
  );
  await say('1.4', 'U3', 'And how?');
  await queued();
  expect((await stored('1.2'))?.mergedQuestions).toEqual([]);
  const text = expect.stringContaining('my name, not my role');
  expect(await outcome('1.3')).toMatchObject({ kind: 'failed', text });
  expect(prompts.at(-1)).toContain('And how?');
});
