import { expect, test } from '@jest/globals';
import { dispatchTask, refuseLateWrites } from '../../shared/worker/index.ts';
import { THREAD, threadHarness } from './thread-harness.ts';

test.each(['ask', 'redo'])(
  'a process that begins a task (%s) after another one gave it up asks no model; the task in another message is done',
  async (kind) => {
    const { say, edit, queued, tasks, prompts, context } = threadHarness();
    await say(THREAD.root, 'U1', 'Why?');
    if (kind === 'redo') {
      await queued();
      await edit(THREAD.root, 'U1', 'And how?');
    }
    const body = tasks.shift()?.body ?? '';
    expect(JSON.parse(body)).toMatchObject({ kind });
    const earlier = prompts.length;
    const delivery = { deadline: context.time.now() + 60_000, isRedelivery: true, isLast: false };
    await refuseLateWrites({ id: 'message-1', body }, context);
    expect(await dispatchTask(body, context, { ...delivery, queueMessage: 'message-1' })).toMatchObject({
      kind: 'later',
    });
    expect(prompts).toHaveLength(earlier);
    expect(await dispatchTask(body, context, { ...delivery, queueMessage: 'message-2' })).toEqual({
      kind: 'done',
    });
    expect(prompts).toHaveLength(earlier + 1);
  },
);
