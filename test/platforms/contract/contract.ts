import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { MessageId, TurnRef } from '../../../shared/domain/index.ts';
import type { Button, Platform, Upload } from '../../../shared/platforms/ports/platform.ts';
import { FileUnavailableError } from '../../../shared/platforms/ports/platform.ts';
import { historyContract } from './history.ts';
import type { Deed, Side, Trouble } from './side.ts';

/** What only one of them can do, so that nobody looks for it in the other. */
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

/** A short video of that name. */
export const film = (name: string): Upload => ({
  name,
  mimetype: 'video/mp4',
  bytes: 4,
  content: bytesOf('film'),
  words: 'Here it is.',
});

type Optional = { [K in keyof Platform]-?: object extends Pick<Platform, K> ? K : never }[keyof Platform];
/** What a platform may lack. */
const OPTIONAL = {
  findMessage: true,
  findRecordings: true,
  isDeleted: true,
  resolveFile: true,
  isSuperseded: true,
} satisfies Record<Optional, true>;

export type Limits = {
  /** Characters of one message. */
  readonly message: number;
  /** Messages of one answer, before it becomes a file. */
  readonly messages: number;
};

/** What both have to pass. */
export function contract(name: 'Slack' | 'Discord', side: () => Side, limits: Limits): void {
  const texts = async (turn: TurnRef): Promise<string[]> =>
    (await side().shown(turn)).map(({ text }) => text);
  /** Waits until people see so many characters of the answer. */
  const reaches = async (turn: TurnRef, length: number): Promise<void> => {
    while ((await texts(turn)).join('').length < length) await setImmediate();
  };
  const buttons: readonly Button[] = [{ label: 'Regenerate', press: { kind: 'regenerate' } }];

  describe(`${name} keeps the contract`, () => {
    test('reply: an answer is shown, found again, and replaced in place', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      await platform.showStatus(turn, 'is thinking…');
      const reply = platform.reply(turn, []);
      reply.write('**Hello** ');
      expect((await reply.posted()).length).toBe(1);
      const ids = await reply.publish('**Hello** Ada', { buttons, steps: [] });
      expect(await side().shown(turn)).toEqual([{ id: ids[0], text: '**Hello** Ada' }]);
      expect((await platform.findOrphanedMessages(turn)).own).toEqual(ids);
      expect(await platform.reply(turn, ids).publish('Other words')).toEqual(ids);
      expect(await texts(turn)).toEqual(['Other words']);
    });

    test('stream: what is written is visible before the answer is complete', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      const reply = platform.reply(turn, []);
      reply.write('The first words. ');
      await reply.posted();
      expect((await texts(turn)).join('')).toContain('The first words.');
      reply.write('More.');
      await reply.publish('The first words. More.');
      expect(await texts(turn)).toEqual(['The first words. More.']);
    });

    test('halt: ends what was never shown as well as what was, and tells what there is', async () => {
      const { platform, ask } = side();
      expect(await platform.reply(await ask('nothing yet'), []).stopStreaming()).toEqual([]);
      const turn = await ask('hello');
      const reply = platform.reply(turn, []);
      reply.write('The first words. ');
      await reply.posted();
      const there = await reply.stopStreaming();
      expect(there).toEqual((await side().shown(turn)).map(({ id }) => id));
      expect(there).toHaveLength(1);
    });

    test('split: a long answer loses no character, and no message is longer than may be', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      const text = words(Math.floor((limits.message * (limits.messages - 1)) / 26));
      const reply = platform.reply(turn, []);
      for (let at = 0; at < text.length; at += 1_000) reply.write(text.slice(at, at + 1_000));
      await reply.publish(text);
      const all = await texts(turn);
      expect(all.length).toBeGreaterThan(1);
      for (const one of all) expect(one.length).toBeLessThanOrEqual(limits.message);
      expect(all.join('\n').replaceAll(/\s+/g, ' ').trim()).toBe(text.replaceAll(/\s+/g, ' ').trim());
    });

    test('split: an answer that fits into its messages is shown whole, however it was split while it was streamed', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      const text = words(Math.floor((limits.message * (limits.messages - 1)) / 26));
      const reply = platform.reply(turn, []);
      for (let at = 0; at < text.length; at += 500) {
        reply.write(text.slice(at, at + 500));
        if (at < text.length * 0.8) await reaches(turn, at);
      }
      await reply.publish(text);
      const all = await texts(turn);
      expect(all.length).toBeLessThanOrEqual(limits.messages);
      expect(all.join('\n').replaceAll(/\s+/g, ' ').trim()).toBe(text.replaceAll(/\s+/g, ' ').trim());
    });

    test('split: a fence that runs across messages is closed and opened again', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      const code = Array.from(
        { length: Math.ceil((limits.message * 1.5) / 20) },
        (_, i) => `const x${i} = ${i};`,
      ).join('\n');
      await platform.reply(turn, []).publish(`\`\`\`ts\n${code}\n\`\`\``);
      const all = await texts(turn);
      expect(all.length).toBeGreaterThan(1);
      for (const one of all) expect(one.match(/^```/gm)).toHaveLength(2);
    });

    test('repair: whatever fails on the way, the text ends up there once', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.tuple(
              fc.constantFrom('post', 'change') as fc.Arbitrary<Deed>,
              fc.constantFrom('lose-reply', 'cut', 'busy', 'status') as fc.Arbitrary<Trouble>,
            ),
            { maxLength: 4 },
          ),
          fc.integer({ min: 1, max: 3 }),
          async (troubles, size) => {
            const { platform, ask, trouble } = side();
            const turn = await ask('hello');
            await platform.showStatus(turn, 'is thinking…');
            for (const [deed, what] of troubles) trouble(deed, what);
            const text = words(size * 30);
            const reply = platform.reply(turn, []);
            for (let at = 0; at < text.length; at += 400) reply.write(text.slice(at, at + 400));
            await reply.publish(text);
            const shown = (await texts(turn)).join('\n').replaceAll(/\s+/g, ' ').trim();
            expect(shown).toBe(text.replaceAll(/\s+/g, ' ').trim());
          },
        ),
        { numRuns: Number(process.env['PARLEY_RUNS'] ?? 15) },
      );
    });

    test('dedup: a later worker that knows nothing finds what was posted, and goes on with it', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      const dead = platform.reply(turn, []);
      dead.write('Half an ans');
      await dead.posted();
      const { own, untied } = await platform.findOrphanedMessages(turn);
      const left = [...own, ...untied];
      expect(left).toHaveLength(1);
      await platform.reply(turn, left).publish('The whole answer.');
      expect(await texts(turn)).toEqual(['The whole answer.']);
    });

    test('edit: a shorter answer removes what is too many', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      const ids = await platform.reply(turn, []).publish(words(Math.ceil((limits.message * 2.5) / 26)));
      expect(ids.length).toBeGreaterThan(2);
      await platform.reply(turn, ids).publish('Short.');
      expect(await texts(turn)).toEqual(['Short.']);
    });

    test('delete: an answer is withdrawn, also by who does not know its messages, and again', async () => {
      const { platform, ask } = side();
      const turn = await ask('hello');
      await platform.reply(turn, []).publish(words(Math.ceil((limits.message * 1.5) / 26)));
      await platform.deleteAnswer(turn, []);
      expect(await texts(turn)).toEqual([]);
      await platform.deleteAnswer(turn, []);
    });

    test('delete: nothing else of the bot in the thread goes along, nor is it taken for a leftover', async () => {
      const { platform, ask, upload } = side();
      const turn = await ask('hello');
      const posted = await platform.reply(turn, []).publish('Words.');
      const file = await upload(turn, 'film.mp4');
      const { own, untied } = await platform.findOrphanedMessages(turn);
      expect([...own, ...untied]).toEqual(posted);
      await platform.deleteAnswer(turn, posted);
      expect((await side().shown(turn)).map(({ id }) => id)).toEqual([file]);
    });

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
      for (const one of await side().whispered(turn)) expect(one).toContain('Between us.');
    });

    test('isolation: what is said in one thread touches no other', async () => {
      const { platform, ask } = side();
      const [one, other] = [await ask('one'), await ask('other')];
      const ids: MessageId[][] = [
        await platform.reply(one, []).publish('To one.'),
        await platform.reply(other, []).publish('To the other.'),
      ];
      expect((await platform.findOrphanedMessages(one)).own).toEqual(ids[0]);
      expect((await platform.findOrphanedMessages(other)).own).toEqual(ids[1]);
      await platform.deleteAnswer(one, []);
      expect(await texts(other)).toEqual(['To the other.']);
    });

    test('what only the other one has is listed, and nothing else is lacking', () => {
      const listed = Object.keys(name === 'Slack' ? ONLY.discord : ONLY.slack);
      const had = new Set(Object.keys(side().platform));
      const lacking = Object.keys(OPTIONAL).filter((one) => !had.has(one));
      expect(lacking).toEqual(Object.keys(OPTIONAL).filter((one) => listed.includes(one)));
    });

    test('what a model writes calls nobody, hides no address, and is not unfolded', async () => {
      const { platform, ask, requests } = side();
      const turn = await ask('hello');
      requests();
      await platform.reply(turn, []).publish('<@U1> <@1> @everyone [bank](https://evil.example/x)');
      const [text = ''] = await texts(turn);
      expect(text).not.toMatch(/<@\w/);
      expect(text).toContain('(evil.example)');
      expect(requests().length).toBeGreaterThan(0);
    });
  });
}

function words(count: number): string {
  return Array.from({ length: count }, (_, i) => `Line ${i} says this and that.`).join('\n');
}
