import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../shared/domain/index.ts';
import { commandHarness } from '../commands/command-harness.ts';
import { THREAD } from '../chat/thread-harness.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { TestTime } from '../upstream/time.ts';

test('a deleted question takes the arguments of its tool cards with it at once, and no others', async () => {
  const time = new TestTime();
  const toolServers = toolServersIn(time);
  const { calls } = toolServers;
  const { dispatch } = commandHarness({ toolServers, messenger: new FakeMessenger() }, time);
  const by = userId('U1');
  const propose = (question: string) => {
    const call = { thread: THREAD, by, server: 'jira', tool: 'create', args: { title: question } };
    return calls.create(question, { ...call, question: messageId(question) });
  };
  const [deleted, other] = [await propose('1.1'), await propose('1.2')];
  await calls.noteCard(deleted, messageId('1.5'));
  const change = { kind: 'edited', editedMessage: '1.1', question: '', attachments: [] };
  const place = { v: 1, thread: THREAD, message: '1.1', asker: by, askerWorkspace: THREAD.workspace };
  await dispatch(JSON.stringify({ ...place, kind: 'redo', round: 0, key: 'delete-1.1', by, change }));
  expect(await calls.find(THREAD, deleted.id)).toBeUndefined();
  expect(await calls.find(THREAD, other.id)).toBeDefined();
});
