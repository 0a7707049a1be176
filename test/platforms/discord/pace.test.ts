import { expect, test } from '@jest/globals';
import { messageId, type TurnRef, userId } from '../../../shared/domain/index.ts';
import type { DiscordRequest } from '../../../shared/platforms/discord/api/call.ts';
import { createDiscordPlatform, toWorkspaceId, toThread } from '../../../shared/platforms/discord/index.ts';

const MESSAGES = 8;
const CALL_MS = 400;
const turn: TurnRef = {
  thread: toThread('21', '31', 'c41'),
  message: messageId('1429000000000000000'),
  asker: userId('41'),
  askerWorkspace: toWorkspaceId('21'),
};

/** A clock that stands still until it is advanced. */
function clockAt(start: number) {
  let now = start;
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (ms: number) =>
      new Promise<void>((wake) => {
        sleepers.push({ at: now + ms, wake });
      }),
    async advance(ms: number): Promise<void> {
      now += ms;
      const due = sleepers.filter(({ at }) => at <= now);
      sleepers = sleepers.filter(({ at }) => at > now);
      for (const { wake } of due) wake();
      for (let i = 0; i < 20; i += 1) await Promise.resolve();
    },
  };
}

/** A platform with slow requests; returns their start and end times. */
function harness() {
  const clock = clockAt(1_790_000_000_000);
  const calls: { readonly from: number; to: number; readonly request: DiscordRequest }[] = [];
  let id = 1_500_000_000_000_000_000n;
  const platform = createDiscordPlatform({
    applicationId: '900',
    maxMessages: MESSAGES,
    time: clock,
    guild: async () => ({ tier: 0 }),
    findInteractionToken: async () => undefined,
    call: async (request) => {
      const call = { from: clock.now(), to: Infinity, request };
      calls.push(call);
      await clock.sleep(CALL_MS);
      call.to = clock.now();
      id += 1n;
      return {
        id: /messages\/(\d+)$/.exec(request.path)?.[1] ?? String(id),
        content: request.body?.['content'],
      };
    },
  });
  return { clock, calls, platform };
}

test('ten thousand chunks are sent in paced single requests, and the final text is complete', async () => {
  const { clock, calls, platform } = harness();
  const reply = platform.reply(turn, []);
  const words = Array.from({ length: 10_000 }, (_, i) => (i % 7 === 6 ? ' ' : String(i % 10)));
  for (const word of words) {
    reply.write(word);
    await clock.advance(50);
  }
  const live = calls.length;
  const whole = words.join('').trimEnd();
  const state = { over: false };
  const done = reply.publish(whole).finally(() => (state.over = true));
  while (!state.over) await clock.advance(100);
  await done;

  for (const [i, { from }] of calls.entries()) expect(from).toBeGreaterThanOrEqual(calls[i - 1]?.to ?? 0);
  // A long answer continues in its next message at once; edits of one message are paced.
  const edits = calls.slice(0, live).filter(({ request }) => request.method === 'PATCH');
  const waits = edits.map(({ from, request }, i) => {
    const before = edits.slice(0, i).findLast((one) => one.request.path === request.path);
    return before === undefined ? Infinity : from - before.to;
  });
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_500);
  const last = calls.slice(live).map(({ request }) => request.body?.['content']);
  expect(whole.endsWith(String(last.at(-1)).trim().slice(-200))).toBe(true);
  expect(edits.length).toBeGreaterThan(100);
});
