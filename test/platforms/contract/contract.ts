import { describe, expect, test } from '@jest/globals';
import { type MessageId, messageId, type TurnRef } from '../../../shared/domain/index.ts';
import type { Platform, Upload } from '../../../shared/platforms/ports/index.ts';
import { FileUnavailableError } from '../../../shared/platforms/ports/index.ts';
import { type HistoryFacts, historyContract } from './history.ts';
import { type Limits, liveAnswerContract } from './live-answer.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

/** A short video with that name. */
export const film = (name: string): Upload => ({
  name,
  mimetype: 'video/mp4',
  bytes: 4,
  content: bytesOf('film'),
  words: 'Here it is.',
});

/** By method: whether a platform that cannot perform it gives its neutral result. */
const NEUTRAL = {
  findMessage: async (platform: Platform, { thread, message }: TurnRef) =>
    (await platform.findMessage(thread, message)) === undefined,
  isDeleted: async (platform: Platform, turn: TurnRef) => !(await platform.isDeleted(turn)),
  resolveFile: async (platform: Platform, { thread }: TurnRef) => {
    const file = { id: 'F1', name: 'a.txt', mimetype: 'text/plain', bytes: 4 };
    return (await platform.resolveFile(thread, file)) === file;
  },
  isSuperseded: async (platform: Platform, turn: TurnRef) =>
    !(await platform.isSuperseded(turn, { id: messageId('1'), token: 'secret' })),
} as const;

/** What the suite has to know about a platform. */
export type PlatformFacts = Limits &
  HistoryFacts & {
    /** The methods that it cannot perform: they give their neutral result, without a request. */
    readonly lacks: readonly (keyof typeof NEUTRAL)[];
  };

/** The suite that all platforms must pass. */
export function contract(name: string, side: () => PlatformUnderTest, facts: PlatformFacts): void {
  const texts = async (turn: TurnRef): Promise<string[]> =>
    (await side().visibleMessages(turn)).map(({ text }) => text);

  describe(`${name} keeps the contract`, () => {
    liveAnswerContract(side, facts);
    historyContract(side, facts);

    test('file: its content is returned, unless it is larger than allowed', async () => {
      const { platform, askWithFile } = side();
      const { turn, id } = await askWithFile('notes.txt', Buffer.from('some notes'));
      const attachment = { id, name: 'notes.txt', mimetype: 'text/plain', bytes: 10 };
      expect(Buffer.from(await platform.downloadFile(turn, attachment, 100)).toString()).toBe('some notes');
      await expect(platform.downloadFile(turn, attachment, 5)).rejects.toThrow(FileUnavailableError);
      const stray = { ...attachment, id: 'https://example.org/attachments/1/2/notes.txt' };
      await expect(platform.downloadFile(turn, stray, 100)).rejects.toThrow(FileUnavailableError);
    });

    test('ephemeral: only the recipient sees the message, and sending it never rejects', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      await platform.reply(turn, []).publish('An answer.');
      await platform.postEphemeral(turn, turn.asker, 'Between us.');
      expect(await texts(turn)).toEqual(['An answer.']);
      for (const one of await side().ephemeralTexts(turn)) expect(one).toContain('Between us.');
    });

    test('isolation: messages in one thread affect no other thread', async () => {
      const { platform, ask } = side();
      const [one, other] = [await ask('one'), await ask('other')];
      const ids: MessageId[][] = [
        await platform.reply(one, []).publish('To one.'),
        await platform.reply(other, []).publish('To the other.'),
      ];
      expect((await platform.findOrphanedMessages(one)).ofTurn).toEqual(ids[0]);
      expect((await platform.findOrphanedMessages(other)).ofTurn).toEqual(ids[1]);
      await platform.deleteAnswer(one, []);
      expect(await texts(other)).toEqual(['To the other.']);
    });

    test('a method that the platform lacks returns its neutral result without a request', async () => {
      const { platform, ask, requests } = side();
      const turn = await ask('hello');
      requests();
      for (const method of facts.lacks)
        expect([method, await NEUTRAL[method](platform, turn)]).toEqual([method, true]);
      // This is known without a request.
      expect(requests()).toEqual([]);
    });
  });
}
