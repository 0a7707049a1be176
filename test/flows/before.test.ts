import { expect, test } from '@jest/globals';
import { messageId, type Thread, userId, workspaceId } from '../../shared/conversation/index.ts';
import { receive, work } from '../../shared/flows/index.ts';
import { KeptQueue } from '../fakes/stage.ts';
import { rig } from './commands/called.ts';
import { platform } from './rig.ts';
import { THREAD } from './thread-world.ts';

test('the recording that a thread hangs on is looked up once: by its first question, unless it is that itself', async () => {
  const looked: string[] = [];
  const read: string[] = [];
  const recordings = {
    find: async () => undefined,
    pieces: async () => [],
    begin: async () => undefined,
    said: async (_: Thread, message: string) => void looked.push(message),
  };
  const earlier = async ({ message }: { readonly message: string }) => {
    read.push(message);
    return [];
  };
  const at = rig({ platform: { ...platform(), earlier }, hearing: { queue: new KeptQueue(), recordings } });
  const ask = async (id: string, root: string) => {
    const thread = { ...THREAD, root: messageId(root) };
    const by = { author: userId('U1'), authorWorkspace: workspaceId('T1') };
    const message = { thread, id: messageId(id), ...by, text: 'Why?', attachments: [] };
    await receive({ ...message, addressed: 'mention' }, { ...at.deps, now: at.time.now });
    const [sent] = at.queue.sent.splice(0);
    await work(sent?.body ?? '', at.deps, { deadline: at.time.now() + 60_000, again: false, last: false });
  };
  await ask('1.1', '1.1');
  expect(looked).toEqual([]);
  await ask('2.2', '2.1');
  await ask('2.3', '2.1');
  expect(looked).toEqual(['2.1']);
  // What was said before is read by each first question, and by no other.
  expect(read).toEqual(['1.1', '2.2']);
});
