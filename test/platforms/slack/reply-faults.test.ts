import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { type Fault, mark, open, turn } from './fake-slack.ts';

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
);

const words = fc.array(
  fc.record({
    text: fc.oneof(
      fc.constantFrom('word ', 'a sentence of words. ', '\n\n', '\n', '- item\n', '1 < 2 ', 'é😀 '),
      fc.stringMatching(/^[a-z ]{1,60}$/),
    ),
    after: fc.integer({ min: 0, max: 900 }),
  }),
  { minLength: 1, maxLength: 40 },
);

test('whatever fails on the way, people see exactly the text, once', async () => {
  await fc.assert(
    fc.asyncProperty(
      words,
      fc.array(fault, { maxLength: 14 }),
      fc.array(streamFault, { maxLength: 2 }),
      fc.boolean(),
      async (chunks, faults, refusals, again) => {
        const refuse = [...refusals];
        const { slack, platform, time } = open((method, number) => {
          if (method === 'chat.appendStream' && number % 3 === 2 && refuse.length > 0) return refuse.pop();
          if (method === 'chat.startStream' && number % 2 === 1 && refuse.length > 0) return refuse.pop();
          return faults[number];
        }, 200);
        const reply = platform.reply(turn, []);
        let text = '';
        for (const chunk of chunks) {
          text += chunk.text;
          reply.write(chunk.text);
          await time.advance(chunk.after);
        }
        const target = text.trimEnd() === '' ? '_The answer is empty._' : text.trimEnd();
        let ids = await time.until(reply.finish(text));
        // In doubt the flow looks once more later; it may also be redelivered without need.
        if (again || reply.doubtful) {
          const left = await time.until(platform.leftovers(turn));
          ids = await time.until(platform.reply(turn, left).finish(text));
        }
        // White space at the end of a message is not to be seen.
        const seen = slack.messages.map((message) => message.text).join('');
        expect(seen.replace(/\s+/g, '')).toBe(target.replace(/\s+/g, ''));
        expect(slack.messages.length === 1 ? seen.trimEnd() : target).toBe(target);
        expect(slack.messages.map(({ ts }) => ts)).toEqual(ids);
        for (const [part, message] of slack.messages.entries()) {
          expect(message.streaming).toBe(false);
          expect(message.metadata).toEqual(mark(part));
        }
      },
    ),
    { numRuns: 400 },
  );
});
