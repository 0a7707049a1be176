import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { TurnRef } from '../../../shared/domain/index.ts';
import type { Button } from '../../../shared/platforms/ports/index.ts';
import type { RequestKind, PlatformUnderTest, RequestFault } from './platform-under-test.ts';

export type Limits = {
  /** Characters per message. */
  readonly message: number;
  /** Messages per answer, before the rest becomes a file. */
  readonly messages: number;
};

const buttons: readonly Button[] = [{ label: 'Regenerate', action: { kind: 'regenerate' } }];

/** The live-answer engine on each platform, through its transport, against its simulator. */
export function liveAnswerContract(side: () => PlatformUnderTest, limits: Limits): void {
  const texts = async (turn: TurnRef): Promise<string[]> =>
    (await side().visibleMessages(turn)).map(({ text }) => text);
  /** Waits until people see this many characters of the answer. */
  const reaches = async (turn: TurnRef, length: number): Promise<void> => {
    while ((await texts(turn)).join('').length < length) await setImmediate();
  };

  test('reply: an answer is visible, is found by its metadata, and is replaced by a later reply', async () => {
    const { platform, ask } = side();
    const turn = await ask('hello');
    await platform.showStatus(turn, 'is thinking…');
    const reply = platform.reply(turn, []);
    reply.write('**Hello** ');
    expect((await reply.posted()).length).toBe(1);
    const ids = await reply.publish('**Hello** Ada', { buttons, steps: [] });
    expect(await side().visibleMessages(turn)).toEqual([{ id: ids[0], text: '**Hello** Ada' }]);
    expect((await platform.findOrphanedMessages(turn)).ofTurn).toEqual(ids);
    expect(await platform.reply(turn, ids).publish('Other words')).toEqual(ids);
    expect(await texts(turn)).toEqual(['Other words']);
  });

  test('stream: text is visible before the answer is complete', async () => {
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

  test('stopStreaming: returns the messages that exist, or none', async () => {
    const { platform, ask } = side();
    expect(await platform.reply(await ask('nothing yet'), []).stopStreaming()).toEqual([]);
    const turn = await ask('hello');
    const reply = platform.reply(turn, []);
    reply.write('The first words. ');
    await reply.posted();
    const there = await reply.stopStreaming();
    expect(there).toEqual((await side().visibleMessages(turn)).map(({ id }) => id));
    expect(there).toHaveLength(1);
  });

  test('split: a long answer keeps all characters, and no message exceeds the limit', async () => {
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

  test('split: an answer that fits into its messages is shown completely, however it was split while it was streamed', async () => {
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

  test('split: a code fence across messages is closed and opened again', async () => {
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

  test('repair: the text is shown exactly once after any failures', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom('post', 'change') as fc.Arbitrary<RequestKind>,
            fc.constantFrom('lose-reply', 'cut', 'busy', 'status') as fc.Arbitrary<RequestFault>,
          ),
          { maxLength: 4 },
        ),
        fc.integer({ min: 1, max: 3 }),
        async (troubles, size) => {
          const { platform, ask, injectFault: trouble } = side();
          const turn = await ask('hello');
          await platform.showStatus(turn, 'is thinking…');
          for (const [deed, what] of troubles) trouble(deed, what);
          const text = words(size * 30);
          const reply = platform.reply(turn, []);
          for (let at = 0; at < text.length; at += 400) reply.write(text.slice(at, at + 400));
          await reply.publish(text);
          const visible = (await texts(turn)).join('\n').replaceAll(/\s+/g, ' ').trim();
          expect(visible).toBe(text.replaceAll(/\s+/g, ' ').trim());
        },
      ),
      { numRuns: Number(process.env['PARLEY_RUNS'] ?? 15) },
    );
  });

  test('dedup: a later worker finds the messages of an earlier attempt and continues in them', async () => {
    const { platform, ask } = side();
    const turn = await ask('hello');
    const dead = platform.reply(turn, []);
    dead.write('Half an ans');
    await dead.posted();
    const { ofTurn, unattributed } = await platform.findOrphanedMessages(turn);
    const left = [...ofTurn, ...unattributed];
    expect(left).toHaveLength(1);
    await platform.reply(turn, left).publish('The whole answer.');
    expect(await texts(turn)).toEqual(['The whole answer.']);
  });

  test('publish: a shorter answer deletes superfluous messages', async () => {
    const { platform, ask } = side();
    const turn = await ask('hello');
    const ids = await platform.reply(turn, []).publish(words(Math.ceil((limits.message * 2.5) / 26)));
    expect(ids.length).toBeGreaterThan(2);
    await platform.reply(turn, ids).publish('Short.');
    expect(await texts(turn)).toEqual(['Short.']);
  });

  test('delete: deletes an answer without knowing its messages, and can be repeated', async () => {
    const { platform, ask } = side();
    const turn = await ask('hello');
    await platform.reply(turn, []).publish(words(Math.ceil((limits.message * 1.5) / 26)));
    await platform.deleteAnswer(turn, []);
    expect(await texts(turn)).toEqual([]);
    await platform.deleteAnswer(turn, []);
  });

  test('delete: keeps other messages of the bot, which are not orphaned messages of the answer', async () => {
    const { platform, ask, upload } = side();
    const turn = await ask('hello');
    const posted = await platform.reply(turn, []).publish('Words.');
    const file = await upload(turn, 'film.mp4');
    const { ofTurn, unattributed } = await platform.findOrphanedMessages(turn);
    expect([...ofTurn, ...unattributed]).toEqual(posted);
    await platform.deleteAnswer(turn, posted);
    expect((await side().visibleMessages(turn)).map(({ id }) => id)).toEqual([file]);
  });

  test('publish: text of a model mentions nobody and hides no URL', async () => {
    const { platform, ask, requests } = side();
    const turn = await ask('hello');
    requests();
    await platform.reply(turn, []).publish('<@U1> <@1> @everyone [bank](https://evil.example/x)');
    const [text = ''] = await texts(turn);
    expect(text).not.toMatch(/<@\w/);
    expect(text).toContain('(evil.example)');
    expect(requests().length).toBeGreaterThan(0);
  });

  test('publish: a repeated publish makes no request', async () => {
    const { platform, ask, requests } = side();
    const turn = await ask('hello');
    const reply = platform.reply(turn, []);
    const ids = await reply.publish('The same words.', { buttons, steps: [] });
    requests();
    expect(await reply.publish('The same words.', { buttons, steps: [] })).toEqual(ids);
    expect(requests()).toEqual([]);
  });

  test('publish: a longer answer adds messages after the existing ones', async () => {
    const { platform, ask } = side();
    const turn = await ask('hello');
    const ids = await platform.reply(turn, []).publish('Short.');
    const longer = await platform.reply(turn, ids).publish(words(Math.ceil((limits.message * 1.5) / 26)));
    expect(longer.length).toBeGreaterThan(1);
    expect(longer[0]).toBe(ids[0]);
    expect((await side().visibleMessages(turn)).map(({ id }) => id)).toEqual(longer);
  });

  test('publish: a message that was deleted in the meantime is posted again', async () => {
    const { platform, ask } = side();
    const turn = await ask('hello');
    const reply = platform.reply(turn, []);
    const ids = await reply.publish('First words.');
    await platform.deleteAnswer(turn, ids);
    await reply.publish('Second words.');
    expect(await texts(turn)).toEqual(['Second words.']);
  });

  test('publish: an answer is split into smaller messages when the platform rejects one as too long', async () => {
    const { platform, ask, injectFault: trouble } = side();
    const turn = await ask('hello');
    const text = words(Math.floor((limits.message * 0.7) / 26));
    trouble('post', 'too-long');
    await platform.reply(turn, []).publish(text);
    const all = await texts(turn);
    expect(all.length).toBeGreaterThan(1);
    expect(all.join('\n').replaceAll(/\s+/g, ' ').trim()).toBe(text.replaceAll(/\s+/g, ' ').trim());
  });

  test('stream: text is streamed into a message of an earlier attempt', async () => {
    const { platform, ask } = side();
    const turn = await ask('hello');
    const earlier = platform.reply(turn, []);
    earlier.write('The first words of an attempt that ends here. ');
    const ids = await earlier.posted();
    const reply = platform.reply(turn, ids);
    expect(await reply.posted()).toEqual(ids);
    reply.write('Other words, of a later attempt. ');
    while (!(await texts(turn)).join('').includes('later attempt')) await setImmediate();
    expect(await reply.publish('Other words, of a later attempt. Complete.')).toEqual(ids);
    expect(await texts(turn)).toEqual(['Other words, of a later attempt. Complete.']);
  });
}

function words(count: number): string {
  return Array.from({ length: count }, (_, i) => `Line ${i} says this and that.`).join('\n');
}
