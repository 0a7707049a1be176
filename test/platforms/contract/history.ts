import { expect, test } from '@jest/globals';
import { HistoryUnavailableError } from '../../../shared/platforms/ports/index.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';

export type HistoryFacts = {
  /** Of a thread with more messages than were requested, whether the later or the older ones are missing. */
  readonly missing: 'later' | 'older';
};

/** The suite for reading history that all platforms must pass. */
export function historyContract(side: () => PlatformUnderTest, { missing }: HistoryFacts): void {
  test('history: a thread is read completely, oldest message first, each with author, time and URL', async () => {
    const { platform, ask, say } = side();
    const turn = await ask('hello');
    for (let n = 0; n < 250; n += 1) await say(turn, `message ${n}`);
    const { thread } = turn;
    const read = await platform.readHistory(thread, { maxMessages: 1_000 });
    expect(read).toMatchObject({ unreadThreads: 0, withoutText: 0 });
    expect(read.incomplete).toBeUndefined();
    const words = read.messages.map(({ text }) => text);
    expect(words[0]).toContain('hello');
    expect(words.slice(1)).toEqual(Array.from({ length: 250 }, (_, n) => `message ${n}`));
    const [first, last] = [read.messages[0], read.messages.at(-1)];
    expect(first?.author).toMatch(/^ada/iu);
    expect([first?.by, first?.id, first?.isBot]).toEqual([turn.asker, turn.message, false]);
    expect(last?.link).toMatch(new RegExp(`^https://.*${last?.id.replace('.', '')}`, 'u'));
    expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(0);
    const some = await platform.readHistory(thread, { maxMessages: 100 });
    expect([some.messages.length, some.incomplete]).toEqual([100, missing]);
    const after = await platform.readHistory(thread, { maxMessages: 100, since: (last?.at ?? 0) + 60_000 });
    expect(after.messages.filter(({ id }) => id !== first?.id)).toEqual([]);
  });

  test('history: a channel is read with the replies in its latest threads', async () => {
    const { platform, ask, say } = side();
    const turns = [await ask('first'), await ask('second')] as const;
    for (const turn of turns) await say(turn, 'a reply');
    const place = { ...turns[0].thread, root: undefined };
    const read = await platform.readHistory(place, { maxMessages: 1_000, maxThreads: 1 });
    const texts = read.messages.filter(({ root }) => root === undefined).map(({ text }) => text);
    expect(texts.join('|')).toMatch(/first.*second/u);
    expect(read.messages.filter(({ text }) => text === 'a reply').map(({ root }) => root)).toEqual([
      turns[1].thread.root,
    ]);
    expect(read.unreadThreads).toBe(1);
  });

  test('history: the error says why the bot may not read', async () => {
    const { platform, ask, denyReading: shutOut } = side();
    const { thread } = await ask('hello');
    const letIn = await shutOut();
    const read = platform.readHistory({ ...thread, root: undefined }, { maxMessages: 10 });
    await expect(read).rejects.toThrow(HistoryUnavailableError);
    letIn();
  });
}
