import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { acceptQuestion } from '../../../shared/intake/index.ts';
import { intakeWithin } from '../../../shared/intake/within-worker.ts';
import { dispatchTask } from '../../../shared/worker/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { commandHarness } from '../../commands/command-harness.ts';
import { FakeReply, fakePlatform } from '../completion-harness.ts';

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
