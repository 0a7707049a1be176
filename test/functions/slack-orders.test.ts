import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { front, keyOf, mention, ROOT, signed } from './slack.ts';

/** The deliveries of one mention: its two events, each up to three times more, in any order. */
const copies = fc.array(
  fc.record({
    type: fc.constantFrom('app_mention', 'message'),
    retry: fc.nat({ max: 3 }),
    /** The process of the front that receives it. */
    to: fc.nat({ max: 1 }),
  }),
  { minLength: 1, maxLength: 8 },
);

const PLACES = {
  'begins a thread': {},
  'in a thread of the bot': { thread_ts: ROOT },
  'in a thread of others': { thread_ts: '1680000000.000100' },
  'with a file': { files: [{ id: 'F1', name: 'a.png', mimetype: 'image/png', size: 1 }] },
};

test.each(Object.entries(PLACES))(
  'a mention that %s is recorded and queued once, in any order of its events',
  async (_, place) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), copies, fc.boolean(), async (scheduler, delivered, broken) => {
        const store = createMemoryDynamo();
        const turnOf = (name: string): Promise<void> => scheduler.schedule(Promise.resolve(), name);
        const [one, two] = [front({ store, turnOf }), front({ store, turnOf })];
        const processes = [one, two];
        // The queue of this process is unavailable: Slack retries with the other process.
        const unlucky = broken ? front({ store, turnOf, fail: 'send' }) : undefined;
        await one.takePart(ROOT);
        const before = one.records().length;
        const all = delivered.map(({ type, retry, to }, i) => {
          const event = { ...place, type, ...(type === 'message' ? { channel_type: 'channel' } : {}) };
          const headers: Record<string, string> =
            retry > 0 ? { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' } : {};
          const request = signed(mention(event, { event_id: `Ev${type}` }), { headers });
          const { handle } = to === 0 ? one : two;
          return i === 0 && unlucky ? unlucky.handle(request).then(() => handle(request)) : handle(request);
        });
        const answers = await scheduler.waitFor(Promise.all(all));
        expect(answers).toEqual(delivered.map(() => ({ statusCode: 200, body: '' })));

        const root = 'thread_ts' in place ? place.thread_ts : '1700000000.000100';
        const records = one.records().filter(({ id }) => id?.S === '1700000000.000100');
        expect(records).toMatchObject([{ pk: { S: keyOf(root) } }]);
        expect(one.records()).toHaveLength(before + 1);
        const sent = processes.flatMap(({ effects }) => effects.sent);
        expect(sent).toHaveLength(delivered.length);
        // A mention may have files that its event does not list; the queue keeps the first task.
        const same = sent.map((message) => JSON.stringify(message).replace(/,\\"mayHaveFiles\\":true/u, ''));
        expect(new Set(same).size).toBe(1);
        expect(sent[0]).toMatchObject({ group: keyOf(root), dedup: `ask#${keyOf(root)}#1700000000.000100` });
      }),
      { numRuns: 60 },
    );
  },
);

test('in a busy thread each of a hundred messages is recorded and queued once', async () => {
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  const order = fc.shuffledSubarray([...numbers, ...numbers, ...numbers], { minLength: 300, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(order, async (delivered) => {
      const { handle, effects, records, takePart } = front();
      await takePart(ROOT);
      await Promise.all(
        delivered.map((n) => {
          const ts = `17000000${String(n).padStart(2, '0')}.000100`;
          return handle(signed(mention({ type: 'message', text: `m${n}`, ts, thread_ts: ROOT })));
        }),
      );
      expect(records()).toHaveLength(101);
      expect(effects.sent).toHaveLength(300);
      expect(new Set(effects.sent.map(({ dedup }) => dedup)).size).toBe(100);
      expect(new Set(effects.sent.map(({ body }) => body)).size).toBe(100);
    }),
    { numRuns: 3 },
  );
});
