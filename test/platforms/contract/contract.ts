import { describe, expect, test } from '@jest/globals';
import { type MessageId, messageId, type TurnRef } from '../../../shared/domain/index.ts';
import type { Platform, Upload } from '../../../shared/platforms/ports/index.ts';
import { FileUnavailableError } from '../../../shared/platforms/ports/index.ts';
import { historyContract } from './history.ts';
import { type Limits, liveAnswerContract } from './live-answer.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';

/** Capabilities of one platform only, which the other lacks. */
export const ONLY = {
  slack: {
    nativeStreams: 'words are appended to a message; Discord replaces the whole message',
    platformStop: 'a Stop of its own, besides the button',
    whisperAnytime: 'an aside at any time; Discord needs something that the person called lately',
    tables: 'tables as tables; Discord shows them in code, and wide ones as files too',
    findMessage: 'a message is looked up by its id, for reactions; those of Discord are not heard',
    isDeleted: 'a question is known to be gone; Discord tells by its relay, or not at all',
    resolveFile:
      'a file of another company comes as its id alone; those of Discord come with all there is to say',
  },
  discord: {
    tickets: 'an answer to a call that nobody else sees, for fifteen minutes',
    isSuperseded: 'of two tickets for one answer the later counts; Slack has no tickets',
    idempotentPosts: 'a post that was repeated makes no second message (nonce)',
    files: 'long answers as files',
  },
} as const satisfies Record<'slack' | 'discord', Record<string, string>>;

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

/** The error of a platform that lacks a capability of the port. */
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

/** The suite that both platforms must pass. */
export function contract(name: 'Slack' | 'Discord', side: () => PlatformUnderTest, limits: Limits): void {
  const texts = async (turn: TurnRef): Promise<string[]> =>
    (await side().shown(turn)).map(({ text }) => text);

  describe(`${name} keeps the contract`, () => {
    liveAnswerContract(side, limits);
    historyContract(name, side);

    test('file: its content is had, unless it is larger than wanted', async () => {
      const { platform, askWithFile } = side();
      const { turn, id } = await askWithFile('notes.txt', Buffer.from('some notes'));
      const attachment = { id, name: 'notes.txt', mimetype: 'text/plain', bytes: 10 };
      expect(Buffer.from(await platform.downloadFile(turn, attachment, 100)).toString()).toBe('some notes');
      await expect(platform.downloadFile(turn, attachment, 5)).rejects.toThrow(FileUnavailableError);
      const stray = { ...attachment, id: 'https://example.org/attachments/1/2/notes.txt' };
      await expect(platform.downloadFile(turn, stray, 100)).rejects.toThrow(FileUnavailableError);
    });

    test('ephemeral: an aside is never seen by all, and never fails', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      await platform.reply(turn, []).publish('An answer.');
      await platform.postEphemeral(turn, turn.asker, 'Between us.');
      expect(await texts(turn)).toEqual(['An answer.']);
      for (const one of await side().ephemeralTexts(turn)) expect(one).toContain('Between us.');
    });

    test('isolation: what is said in one thread touches no other', async () => {
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

    test('a method that only the other platform can perform is listed and gives its neutral result', async () => {
      const listed = Object.keys(name === 'Slack' ? ONLY.discord : ONLY.slack);
      const { platform, ask, requests } = side();
      const turn = await ask('hello');
      requests();
      for (const [method, isNeutral] of Object.entries(NEUTRAL).filter(([one]) => listed.includes(one)))
        expect([method, await isNeutral(platform, turn)]).toEqual([method, true]);
      // This is known without a request.
      expect(requests()).toEqual([]);
    });
  });
}
