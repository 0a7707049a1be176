import { expect, test } from '@jest/globals';
import { messageId, type Thread, userId, workspaceId } from '../../shared/conversation/index.ts';
import { receive, work } from '../../shared/flows/index.ts';
import { KeptQueue } from '../fakes/stage.ts';
import { UNSTOPPED } from '../fakes/recordings.ts';
import { rig } from './commands/called.ts';
import { end, platform } from './rig.ts';
import { THREAD } from './thread-world.ts';

test('the recording that a thread hangs on is looked up once: by its first question, unless it is that itself', async () => {
  const looked: string[] = [];
  const read: string[] = [];
  const recordings = {
    ...UNSTOPPED,
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

test.each([false, true])(
  'a question that begins its thread is not held up by a look at what came in behind it, unless it comes again (%s)',
  async (again) => {
    const prompts: string[] = [];
    const at = rig({
      chat: {
        async *stream(prompt) {
          prompts.push(JSON.stringify(prompt.at(-1)?.content));
          yield end('Because.');
        },
      },
    });
    const by = { author: userId('U1'), authorWorkspace: workspaceId('T1'), attachments: [] };
    for (const [id, text] of [
      ['1.1', 'Why?'],
      ['1.2', 'Since when?'],
    ] as const) {
      const message = { thread: THREAD, id: messageId(id), ...by, text, addressed: 'mention' } as const;
      await receive(message, { ...at.deps, now: at.time.now });
    }
    const delivery = { deadline: at.time.now() + 60_000, again, last: false };
    for (const { body } of at.queue.sent.splice(0)) await work(body, at.deps, delivery);
    // Answered in any case: along with the first, or next.
    expect(prompts.join()).toContain('Since when?');
    expect(prompts).toHaveLength(again ? 1 : 2);
  },
);
