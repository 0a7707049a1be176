import { describe, expect, test } from '@jest/globals';
import {
  type Attachment,
  type ChatEvent,
  messageId,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { ByteBudget } from '../../shared/runtime/index.ts';
import { dispatchTask, handleDeadLetter, type WorkerContext } from '../../shared/worker/index.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { fakePlatform } from './completion-harness.ts';
import { THREAD, threadHarness } from './thread-harness.ts';

const NOTES: Attachment = { id: 'F1', name: 'notes.txt', mimetype: 'text/plain', bytes: 20 };
const PAPER: Attachment = { id: 'F2', name: 'paper.pdf', mimetype: 'application/pdf', bytes: 9_000_000 };
const CLIP: Attachment = { id: 'F3', name: 'clip.m4a', mimetype: 'audio/mp4', bytes: 9 };
const CONTENT = { F1: new TextEncoder().encode('The launch is in May.') };

const mention = (id: string, text: string, mayHaveFiles = true, attachments: readonly Attachment[] = []) => ({
  thread: THREAD,
  id: messageId(id),
  author: userId('U1'),
  authorWorkspace: workspaceId('T1'),
  text,
  attachments,
  mayHaveFiles,
  addressed: 'mention' as const,
});
const toEvent = (...what: Parameters<typeof mention>): ChatEvent => ({
  kind: 'message',
  message: mention(...what),
});

/** A thread on a platform whose messages have these files, whatever their events say. */
function open(files: Readonly<Record<string, readonly Attachment[]>>, more: Partial<WorkerContext> = {}) {
  const listed: string[] = [];
  const platform: WorkerContext['platform'] = {
    ...fakePlatform(CONTENT),
    listFiles: async ({ message }) => {
      listed.push(message);
      return files[message];
    },
  };
  return { listed, ...threadHarness([], { platform, ...more }) };
}

describe('a question whose event may not have listed its files', () => {
  test('is answered with the files of its message', async () => {
    const { take, queued, prompts, stored } = open({ '1.2': [NOTES] });
    await take(toEvent('1.2', 'Sum it up.'));
    await queued();
    expect(prompts).toEqual([expect.stringContaining('The launch is in May.')]);
    expect((await stored('1.2'))?.question).toContain('The launch is in May.');
  });

  test('is answered without files where they cannot be read; one whose event lists them is not looked up', async () => {
    const { take, queued, prompts, listed } = open({});
    await take(toEvent('1.2', 'Why?'));
    await take(toEvent('1.3', 'And how?', false));
    await queued();
    expect(prompts.join()).toMatch(/Why\?.*And how\?/su);
    expect(listed).toEqual(['1.2']);
  });

  test('keeps the files that its event lists where the others cannot be read, also after an edit or if it is given up', async () => {
    const { take, tasks, stored, queued, prompts, context } = open({});
    await take(toEvent('1.2', 'Sum it up.', true, [NOTES]));
    await queued();
    expect(prompts[0]).toContain('The launch is in May.');
    const message = mention('1.2', 'In French.', true, [NOTES]);
    await take({ kind: 'message-edited', message, at: '9.1' });
    await queued();
    expect(prompts[1]).toMatch(/In French\..*The launch is in May\./su);
    await take(toEvent('1.3', 'Why?', true, [NOTES]));
    const body = tasks.shift()?.body ?? '';
    await handleDeadLetter(body, { ...context, queue: tasksQueue(tasks), recordings: NO_RECORDINGS });
    await queued();
    expect((await stored('1.3'))?.pictures).toMatchObject([{ id: 'F1', isUnread: true }]);
  });

  test('is transcribed with all its files if its event names a recording alone, as of a forwarded message', async () => {
    const queue = new FakeQueue();
    const { take, queued, tasks } = open(
      { '1.2': [NOTES, CLIP] },
      { transcription: { queue, recordings: NO_RECORDINGS } },
    );
    await take(toEvent('1.2', 'Well?', true, [CLIP]));
    expect(tasks).toHaveLength(1);
    await queued();
    expect(queue.sent.map(({ body }): unknown => JSON.parse(body))).toMatchObject([
      { recordings: [{ id: 'F3' }], wish: { kind: 'ask', attachments: [{ id: 'F1' }] } },
    ]);
  });

  test('is transcribed first if a file of it is a recording', async () => {
    const queue = new FakeQueue();
    const { take, queued, prompts } = open(
      { '1.2': [CLIP, NOTES] },
      { transcription: { queue, recordings: NO_RECORDINGS } },
    );
    await take(toEvent('1.2', 'Well?'));
    await queued();
    expect(prompts).toEqual([]);
    expect(queue.sent.map(({ body }): unknown => JSON.parse(body))).toMatchObject([
      { recordings: [{ id: 'F3' }], wish: { kind: 'ask', attachments: [{ id: 'F1' }], again: true } },
    ]);
  });

  test('goes to the large worker if its files need it, also as an edit', async () => {
    const more = { memory: new ByteBudget(1_000_000), movesLarge: true };
    const { take, tasks, context } = open({ '1.2': [PAPER] }, more);
    const delivery = { deadline: context.time.now() + 60_000, isRedelivery: false, isLast: false };
    await take(toEvent('1.2', 'Sum it up.'));
    await take({ kind: 'message-edited', message: mention('1.2', 'Sum it up, please.'), at: '9.1' });
    const bodies = tasks.splice(0).map(({ body }) => body);
    expect(bodies).toHaveLength(2);
    for (const body of bodies)
      expect(await dispatchTask(body, context, delivery)).toEqual({ kind: 'too-large' });
  });

  test('is answered again with its files after an edit', async () => {
    const { take, queued, prompts } = open({ '1.2': [NOTES] });
    await take(toEvent('1.2', 'Sum it up.'));
    await queued();
    await take({ kind: 'message-edited', message: mention('1.2', 'In French.'), at: '9.1' });
    await queued();
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toMatch(/In French\..*The launch is in May\./su);
  });

  test('is answered on its own, as its files are; one without files is merged', async () => {
    const { take, queued, prompts, listed } = open({ '1.2': [], '1.3': [], '1.4': [NOTES] });
    await take(toEvent('1.2', 'Why?'));
    await take(toEvent('1.3', 'And where?'));
    await take(toEvent('1.4', 'Sum it up.'));
    await queued();
    expect(prompts).toHaveLength(2);
    expect(prompts[0]).toMatch(/Why\?.*And where\?/su);
    expect(prompts[0]).not.toContain('Sum it up.');
    expect(prompts[1]).toMatch(/Sum it up\..*The launch is in May\./su);
    expect(listed).toContain('1.4');
  });

  test('is merged if its files cannot be read, and not looked up for an answer that it cannot be merged into', async () => {
    const { take, queued, prompts, listed } = open({ '1.2': [], '1.4': [] });
    await take(toEvent('1.2', 'Why?'));
    await take(toEvent('1.3', 'And where?'));
    await take(toEvent('1.4', 'Sum it up.', false, [NOTES]));
    await take(toEvent('1.5', 'And now?'));
    await queued();
    expect(prompts).toHaveLength(2);
    expect(prompts[0]).toMatch(/Why\?.*And where\?/su);
    expect(prompts[1]).toMatch(/Sum it up\..*And now\?/su);
    // For the answer to 1.4, and by its own task.
    expect(listed.filter((one) => one === '1.5')).toHaveLength(2);
  });

  test('keeps them if it is given up, so that whoever asks it again has them', async () => {
    const { take, tasks, stored, queued, prompts, context } = open({ '1.2': [NOTES] });
    await take(toEvent('1.2', 'Sum it up.'));
    const body = tasks.shift()?.body ?? '';
    await handleDeadLetter(body, { ...context, queue: tasksQueue(tasks), recordings: NO_RECORDINGS });
    await queued();
    expect(prompts).toEqual([]);
    expect((await stored('1.2'))?.pictures).toMatchObject([{ id: 'F1', isUnread: true }]);
  });
});

const tasksQueue = (sent: FakeQueue['sent']) => ({
  send: async (body: string, group: string, dedup: string) => void sent.push({ body, group, dedup }),
});
