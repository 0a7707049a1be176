import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Step, AnswerActions } from '../../../shared/platforms/ports/index.ts';
import { RetryTimeoutError } from '../../../shared/platforms/slack/api/retry.ts';
import { bothKinds, type Fault, metadataOfPart, type Message, openFakeSlack, turn } from './fake-slack.ts';

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  fc.constantFrom<Fault>(
    'lost',
    'gone',
    'busy',
    { refuse: 'internal_error' },
    { refuse: 'service_unavailable' },
  ),
);
const streamFault = fc.constantFrom<Fault>(
  { refuse: 'channel_type_not_supported' },
  { refuse: 'message_not_in_streaming_state' },
  { refuse: 'stopped_by_user' },
  { refuse: 'missing_recipient_team_id' },
  { refuse: 'streaming_mode_mismatch' },
);

const row = (n: number) => `| a${n} | b${n} |\n`;
const table = (rows: number) =>
  `\n\n| Head | Line |\n| --- | --- |\n${Array.from({ length: rows }, (_, n) => row(n)).join('')}\n`;

const chunk = fc.record({
  text: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        'word ',
        'a sentence of words. ',
        '\n\n',
        '\n',
        '- item\n',
        '1 < 2 ',
        'é😀 ',
      ),
    },
    { weight: 6, arbitrary: fc.stringMatching(/^[a-z ]{1,60}$/) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 14 }).map(table) },
  ),
  after: fc.integer({ min: 0, max: 900 }),
  step: fc.option(fc.constantFrom<Step['state']>('running', 'done', 'failed'), { freq: 4 }),
});

const button = { label: 'Again', action: { kind: 'regenerate' } } as const;
const thumbs = [
  { label: 'Good', action: { kind: 'feedback', good: true } },
  { label: 'Bad', action: { kind: 'feedback', good: false } },
] as const;

/**
 * Without white space, which differs where an answer is split, and without table headers, which are repeated there.
 */
const plain = (text: string) =>
  text.replace(/\s+/g, '').replaceAll('|Head|Line|', '').replaceAll('|---|---|', '');

function stepsSeen(messages: readonly Message[]): string {
  return messages.flatMap(({ cards, line }) => [...cards.values(), ...line]).join('\n');
}

test('any faults leave the exact text visible once, with its steps and buttons', async () => {
  const scenario = {
    chunks: fc.array(chunk, { minLength: 1, maxLength: 40 }),
    faults: fc.array(fault, { maxLength: 14 }),
    refusals: fc.array(streamFault, { maxLength: 2 }),
    again: fc.boolean(),
    closed: fc.boolean(),
    limit: fc.constantFrom(200, 400, 10_000),
  };
  await fc.assert(
    fc.asyncProperty(fc.record(scenario), async ({ chunks, faults, refusals, again, closed, limit }) => {
      const refuse = [...refusals];
      const { slack, platform, time } = openFakeSlack((method, number) => {
        if (method === 'chat.appendStream' && number % 3 === 2 && refuse.length > 0) return refuse.pop();
        if (method === 'chat.startStream' && number % 2 === 1 && refuse.length > 0) return refuse.pop();
        return faults[number];
      }, limit);
      const reply = platform.reply(turn, []);
      let text = '';
      let step: Step | undefined;
      for (const { text: words, after, step: state } of chunks) {
        text += words;
        reply.write(words);
        if (state) reply.step((step = { id: 'think', title: 'Thinking', state, details: '9 s' }));
        await time.advance(after);
      }
      const done = { id: 'think', title: 'Thought', state: 'done' } as const;
      const under: AnswerActions | undefined = closed
        ? { buttons: [button, ...thumbs], steps: step ? [done] : [] }
        : undefined;
      const target =
        text.trimEnd() === ''
          ? '_The model ended without an answer. Ask again, perhaps in other words._'
          : text.trimEnd();
      // When a minute of failures is over, the task is redelivered.
      let ids = await time.until(reply.publish(text, under)).catch((error: unknown) => {
        if (error instanceof RetryTimeoutError) return [];
        throw error;
      });
      // In doubt the answer is reconciled once more later; it may also be redelivered needlessly.
      const later = again || ids.length === 0 || reply.hasUnconfirmedPosts;
      if (later) {
        const left = bothKinds(await time.until(platform.findOrphanedMessages(turn)));
        ids = await time.until(platform.reply(turn, left).publish(text, under));
      }
      const { messages } = slack;
      const visibleText = messages.map((message) => message.text).join('');
      expect(plain(visibleText)).toBe(plain(target));
      // White space at the end of a message is invisible, and differs around a table.
      const whole = messages.length === 1 && !target.includes('|');
      expect(whole ? visibleText.trim() : '').toBe(whole ? target.trim() : '');
      expect(messages.map(({ ts }) => ts)).toEqual(ids);
      for (const [part, message] of messages.entries()) {
        expect(message).toMatchObject({ streaming: false, metadata: metadataOfPart(part) });
        const last = part === messages.length - 1;
        const buttons = closed && last ? ['parley:regenerate', 'parley:feedback'] : [];
        expect(message.buttons).toEqual(buttons);
      }
      expect(stepsSeen(messages)).not.toMatch(/in_progress|…/);
      // The card of an ended stream keeps its title where it shows how the step ended: an edit would remove it.
      const ended = /Thought|Thinking \/ complete/;
      expect(stepsSeen(messages)).toMatch(step && closed ? ended : /^/);
    }),
    { numRuns: 500 },
  );
});
