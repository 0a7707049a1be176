import { BARE } from '../../fakes/bare-context.ts';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { type Attachment, messageId } from '../../../shared/domain/index.ts';
import { fetchFiles } from '../../../shared/chat/prompt/fetch-files.ts';
import { dispatchTask } from '../../../shared/worker/index.ts';
import { MemoryPermit, ByteBudget } from '../../../shared/runtime/byte-budget.ts';
import { TestTime } from '../../upstream/time.ts';
import { commandHarness } from '../../commands/command-harness.ts';
import { fakePlatform, TURN } from '../completion-harness.ts';
import { THREAD } from '../thread-harness.ts';

const MB = 1024 * 1024;
const TOTAL = 200 * MB;
const LIVE = new AbortController().signal;
const STARTS = { png: '\x89PNG\r\n\x1a\n', pdf: '%PDF-1.7\n', txt: 'words ' } as const;
type Ending = keyof typeof STARTS;

/** Replaces the content of a large file: it starts like it, and counts as `size` bytes. */
const content = (is: Ending): Uint8Array => Buffer.from(`${STARTS[is]}${'x'.repeat(100)}`, 'latin1');

const anyFile = fc.record({
  outcome: fc.constantFrom<Ending>('png', 'pdf', 'txt'),
  is: fc.constantFrom<Ending>('png', 'pdf', 'txt'),
  bytes: fc.constantFrom(0, 1_000, 1 * MB, 4 * MB, 5 * MB, 6 * MB, 10 * MB),
});

describe('the memory budget for files', () => {
  test('is never exceeded, covers everything that is fetched, and serves every question', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(anyFile, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 10 }),
        async (scheduler, questions) => {
          const budget = new ByteBudget(TOTAL);
          let fetching = 0;
          const check = (): void => {
            expect(budget.reservedBytes).toBeLessThanOrEqual(TOTAL);
            expect(budget.reservedBytes).toBeGreaterThanOrEqual(Math.min(TOTAL, fetching));
          };
          const answered = questions.map(async (files, q) => {
            const attachments = files.map(({ outcome, bytes }, i): Attachment => ({
              id: `${q}-${i}`,
              name: `${i}.${outcome}`,
              mimetype: '',
              bytes,
            }));
            const context = {
              ...BARE,
              platform: {
                ...fakePlatform(),
                downloadFile: async (_: unknown, { id, bytes }: Attachment, limit: number) => {
                  const bytesHeld = bytes > 0 ? bytes : limit;
                  fetching += bytesHeld;
                  check();
                  await scheduler.schedule(Promise.resolve(), id);
                  check();
                  fetching -= bytesHeld;
                  return content(files[Number(id.split('-')[1])]?.is ?? 'txt');
                },
              },
              pdf: async () => {
                check();
                await scheduler.schedule(Promise.resolve(), 'pdf');
                return { kind: 'text' as const, text: 'words', pages: 1, of: 1 };
              },
              log: () => undefined,
            };
            const room = new MemoryPermit({
              budget,
              movesLarge: false,
              time: new TestTime(),
              signal: LIVE,
              deadlineMs: Infinity,
            });
            const fetched = await fetchFiles(TURN, attachments, context, {
              memoryPermit: room,
              nameOf: (name) => name,
              accepted: { sound: false, video: false },
            });
            expect(fetched).toHaveLength(files.length);
            expect(
              fetched.filter((one) => one.kind === 'image' && one.url !== undefined).length,
            ).toBeLessThan(4);
            // The model responds; pictures are in memory until then.
            await scheduler.schedule(Promise.resolve(), `answer ${q}`);
            room.end();
          });
          await scheduler.waitFor(Promise.all(answered));
          expect(budget.reservedBytes).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('shows the usual number of small pictures when one file has a wrong image type', async () => {
    const room = new MemoryPermit({
      budget: BARE.memory,
      movesLarge: false,
      time: new TestTime(),
      signal: LIVE,
      deadlineMs: Infinity,
    });
    const attachments = ['a', 'b', 'c', 'd', 'e'].map((id): Attachment => ({
      id,
      name: `${id}.png`,
      mimetype: 'image/png',
      bytes: id === 'a' ? 5 * MB : 1_000,
    }));
    const context = {
      ...BARE,
      platform: {
        ...fakePlatform(),
        downloadFile: async (_: unknown, { id }: Attachment) => content(id === 'a' ? 'txt' : 'png'),
      },
      log: () => undefined,
    };
    const fetched = await fetchFiles(TURN, attachments, context, {
      memoryPermit: room,
      nameOf: (name) => name,
      accepted: { sound: false, video: false },
    });
    expect(fetched.map((one) => one.kind === 'image' && one.url !== undefined)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  const picture = { id: 'p.png', name: 'p.png', mimetype: 'image/png', bytes: 5 * MB };
  const ask = {
    v: 1,
    kind: 'ask',
    thread: THREAD,
    message: '1.1',
    asker: 'U1',
    askerWorkspace: 'T1',
    question: 'What is this?',
    attachments: [picture],
    receivedAt: 1,
  };

  async function startFetch(signal = LIVE) {
    const lines: string[] = [];
    const memory = new ByteBudget(TOTAL);
    const others = await memory.reserve(TOTAL, signal);
    const withPicture = fakePlatform({ 'p.png': content('png') }, lines);
    const at = commandHarness({ memory, platform: withPicture }, new TestTime(100));
    await at.context.turns.accept(TURN, '', []);
    const delivery = { deadline: at.time.now() + 600_000, isRedelivery: false, isLast: false };
    return { ...at, lines, memory, others, verdict: dispatchTask(JSON.stringify(ask), at.context, delivery) };
  }
  test('a question that waits for memory shows that it waits, and is answered later', async () => {
    const { lines, others, verdict, memory, context, time } = await startFetch();
    await settled();
    time.advance(1_001);
    await settled();
    expect(lines.at(-1)).toBe('is waiting for memory: other questions with large files are being answered');
    others.release();
    expect(await verdict).toEqual({ kind: 'done' });
    expect((await context.turns.findByMessage(THREAD, TURN.message))?.content?.outcome).toMatchObject({
      text: 'An answer.',
    });
    expect(memory.reservedBytes).toBe(0);
  });

  test('a question that waits a minute for memory returns to the queue', async () => {
    const { lines, verdict, memory, others, time } = await startFetch();
    await settled();
    time.advance(1_001);
    await settled();
    time.advance(60_001);
    expect(await verdict).toEqual({ kind: 'later', afterMs: 5_000 });
    expect(lines.at(-1)).toContain('is waiting for memory');
    others.release();
    expect(memory.reservedBytes).toBe(0);
  });

  test('Stop ends the wait for memory at once', async () => {
    const { verdict, memory, others, time, context } = await startFetch();
    await settled();
    await context.signals.sendSignal(TURN, 'stopped');
    time.advance(1_001);
    await settled();
    expect(await verdict).toEqual({ kind: 'done' });
    expect((await context.turns.findByMessage(THREAD, TURN.message))?.content?.outcome).toMatchObject({
      finish: 'stopped',
      text: '_Stopped before the first word._',
    });
    others.release();
    expect(memory.reservedBytes).toBe(0);
  });

  describe('a worker that moves large files to another worker', () => {
    const none = { deadline: Infinity, isRedelivery: false, isLast: false };
    function shared(bytesHeld = 0, file = content('png')) {
      const memory = new ByteBudget(16 * MB);
      memory.tryReserve(bytesHeld);
      const platformWith = fakePlatform({ 'p.png': file, 'p.txt': file, 'p.bin': file });
      const more = { memory, movesLarge: true, platform: platformWith };
      return { memory, ...commandHarness(more, new TestTime(100)) };
    }
    const small = { id: 'p.txt', name: 'p.txt', mimetype: 'text/plain', bytes: 1_000 };

    test('moves a question with large pictures before it fetches a file or takes a lease', async () => {
      const { context, dynamo } = shared();
      await context.turns.accept(TURN, '', []);
      const before = dynamo.items('conversations');
      expect(await dispatchTask(JSON.stringify(ask), context, none)).toEqual({ kind: 'too-large' });
      expect(dynamo.items('conversations')).toEqual(before);
    });

    test.each([
      [
        'an edit to one with a PDF',
        {
          ...ask,
          kind: 'redo',
          key: 'e1',
          by: 'U1',
          how: { kind: 'edited', of: '1.1', question: 'a', attachments: [{ ...small, name: 'a.pdf' }] },
        },
      ],
      ['a file of unknown length', { ...ask, attachments: [{ ...small, bytes: 0 }] }],
      [
        'an export',
        {
          ...ask,
          kind: 'export',
          of: 'person',
          wanted: {
            id: 'i',
            platform: 'slack',
            workspace: 'T1',
            by: { user: 'U1', workspace: 'T1' },
            ticket: 't',
            until: 1,
            call: { kind: 'home' },
          },
        },
      ],
      ['a video', { ...ask, kind: 'video', job: 'j1' }],
    ])('also moves %s', async (_, task) => {
      const { context } = shared();
      expect(await dispatchTask(JSON.stringify(task), context, none)).toEqual({ kind: 'too-large' });
    });

    test('reads a small file itself', async () => {
      const { context } = shared(0, content('txt'));
      await context.turns.accept(TURN, '', []);
      expect(await dispatchTask(JSON.stringify({ ...ask, attachments: [small] }), context, none)).toEqual({
        kind: 'done',
      });
    });

    test.each([
      ['finds no room because of others', 14 * MB, small, 'txt'],
      [
        'turns out to hold a PDF',
        0,
        { ...small, id: 'p.bin', name: 'p.bin', mimetype: 'application/octet-stream' },
        'pdf',
      ],
    ] as const)(
      'moves a question that %s at once, releases its lease, and asks no model',
      async (_, bytesHeld, file, is) => {
        const { context, memory } = shared(bytesHeld, content(is));
        await context.turns.accept(TURN, '', []);
        expect(await dispatchTask(JSON.stringify({ ...ask, attachments: [file] }), context, none)).toEqual({
          kind: 'too-large',
        });
        expect(memory.reservedBytes).toBe(bytesHeld);
        expect((await context.turns.findByMessage(THREAD, TURN.message))?.content).toBeUndefined();
        // The other process receives the turn at once.
        expect(await context.turns.claim(TURN, 60_000, false)).toMatchObject({ kind: 'held', fence: 2 });
      },
    );
  });

  test('never makes a question without files wait', async () => {
    const { context, others, verdict } = await startFetch();
    await context.turns.accept({ ...TURN, thread: { ...THREAD, root: ROOT }, message: ROOT }, '', []);
    const plain = { ...ask, thread: { ...THREAD, root: ROOT }, message: ROOT, attachments: [] };
    const delivery = { deadline: context.time.now() + 600_000, isRedelivery: false, isLast: false };
    expect(await dispatchTask(JSON.stringify(plain), context, delivery)).toEqual({ kind: 'done' });
    others.release();
    await verdict;
  });
});

const ROOT = messageId('2.1');

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
