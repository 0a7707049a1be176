import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { StatusKind } from '../../../shared/platforms/ports/index.ts';
import { StatusIndicator, THINKING_STATUS } from '../../../shared/chat/display/progress-display.ts';
import { TestTime } from '../../upstream/time.ts';
import { fakePlatform, TURN, endEvent, outcomeOf, completionHarness } from '../completion-harness.ts';

function open() {
  const time = new TestTime(0);
  const statuses: string[] = [];
  const locale = Promise.resolve('en' as const);
  const long = (): void => void statuses.push('(long)');
  const statusIndicator = new StatusIndicator(TURN, {
    platform: fakePlatform({}, statuses),
    time,
    locale,
    onLong: long,
  });
  const after = async (ms: number): Promise<void> => {
    time.advance(ms);
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
  };
  return { statusIndicator, statuses, after, time };
}

test('the status changes while nothing is visible, and is renewed before Slack removes it', async () => {
  const { statuses, after, statusIndicator, time } = open();
  await after(299);
  expect(statuses).toEqual([]);
  await after(1);
  await after(8_000);
  await after(25_000);
  expect(statuses).toEqual(['is thinking…', '(long)', 'is still thinking…', 'needs a little longer…']);
  await after(90_000);
  expect(statuses).toHaveLength(5);
  await statusIndicator.stop();
  expect(statuses.at(-1)).toBe('');
  expect(time.pending).toBe(0);
});

test('the status of a tool or of the queue is not replaced by waiting phrases', async () => {
  const { statuses, after, statusIndicator } = open();
  statusIndicator.show(['answers.status.reading']);
  await after(300);
  await after(8_000);
  await after(60_000);
  expect(statuses).toEqual(['is reading a file…', '(long)']);
  statusIndicator.keep();
  await after(600_000);
  expect(statuses).toEqual(['is reading a file…', '(long)']);
});

test('an immediate answer shows no status', async () => {
  const { statuses, after, statusIndicator } = open();
  await statusIndicator.stop();
  await after(60_000);
  expect(statuses).toEqual([]);
});

test('a status has a kind: reasoning alone counts as work, and replaces the status of a wait', async () => {
  const statuses: (readonly [string, StatusKind | undefined])[] = [];
  const statusIndicator = new StatusIndicator(TURN, {
    platform: { showStatus: async (_, words, kind) => void statuses.push([words, kind]) },
    time: new TestTime(0),
    locale: Promise.resolve('en'),
  });
  statusIndicator.show(THINKING_STATUS);
  statusIndicator.show(['answers.status.line-seconds', { count: 4 }]);
  statusIndicator.show(THINKING_STATUS);
  await setImmediate();
  await statusIndicator.stop();
  expect(statuses).toEqual([
    ['is thinking…', 'work'],
    ['is waiting in line: about 4 s', 'wait'],
    ['is thinking…', undefined],
    ['', undefined],
  ]);
});

test('a status that waits behind a slow one is not shown after the answer', async () => {
  const statuses: string[] = [];
  const slow = Promise.withResolvers<void>();
  const statusIndicator = new StatusIndicator(TURN, {
    platform: {
      showStatus: (_, words) => {
        statuses.push(words);
        return words === '' ? Promise.resolve() : slow.promise;
      },
    },
    time: new TestTime(0),
    locale: Promise.resolve('en'),
  });
  statusIndicator.show(THINKING_STATUS);
  statusIndicator.show(['answers.status.still']);
  await setImmediate();
  const stopped = statusIndicator.stop();
  slow.resolve();
  await stopped;
  expect(statuses).toEqual(['is thinking…', '']);
});

const thought = (words: string) => ({ type: 'reasoning', text: words }) as const;
const text = (words: string) => ({ type: 'text', text: words }) as const;
const usage = { promptTokens: 10, completionTokens: 700, reasoningTokens: 640, cachedTokens: 0 };

test('reasoning is a step with its duration and tokens', async () => {
  const { run, reply, time } = completionHarness([
    [
      thought('Hm.'),
      () => time.advance(4_000),
      thought('Or green?'),
      () => time.advance(5_000),
      text('Blue.'),
      () => time.advance(5_000),
      endEvent('Blue.', { usage }),
    ],
  ]);
  const { outcome, steps } = await outcomeOf(run());
  expect(reply.steps.map(({ id, title, state }) => [id, title, state])).toEqual([
    ['reasoning-1', 'Thinking', 'running'],
    ['reasoning-1', 'Thought for 9 s', 'done'],
    ['reasoning-1', 'Thought for 9 s · 640 tokens', 'done'],
  ]);
  expect(steps).toEqual([reply.steps[2]]);
  expect(outcome.text).toBe('Blue.');
});

test('mode brief shows no trace, full its end, file all of it, off no step', async () => {
  const long = Array.from({ length: 2_000 }, (_, i) => `word${i}`).join(' ');
  const script = [[thought(long), text('Blue.'), endEvent('Blue.', { usage })]];
  const answerWith = async (reasoning: 'off' | 'brief' | 'full' | 'file') =>
    (await outcomeOf(completionHarness(script, { settings: { reasoning } }).run())).steps;
  expect(await answerWith('off')).toEqual([]);
  expect((await answerWith('brief'))[0]).not.toHaveProperty('details');
  const [{ details = '' } = {}] = await answerWith('full');
  expect(details).toMatch(/^… word\d+ .*word1999$/u);
  expect(details.length).toBeLessThanOrEqual(2_000);
  expect((await answerWith('file'))[0]).toMatchObject({ details, file: long });
});

test('the step shows only the duration without a token count; a failure ends it', async () => {
  expect((await outcomeOf(completionHarness([[thought('Hm.'), endEvent('Blue.')]]).run())).steps).toEqual([
    { id: 'reasoning-1', title: 'Thought for 1 s', state: 'done' },
  ]);
  const { run, reply } = completionHarness([[thought('Hm.'), new Error('away')]]);
  await expect(run()).rejects.toThrow('away');
  expect(reply.steps.at(-1)?.state).toBe('done');
});

test('reasoning that is shown is in no later prompt', async () => {
  const call = { id: 'c1', name: 'none', arguments: '{}' };
  const tool = {
    definition: { name: 'none' },
    prepare: () => ({
      title: 'Nothing',
      status: ['answers.status.reading'] as const,
      run: () => Promise.resolve({ content: 'done', summary: 'done' }),
    }),
  };
  const { run, requests } = completionHarness(
    [
      [thought('SECRET'), text('Let me see.'), endEvent('Let me see.', { toolCalls: [call] })],
      [thought('SECRET'), endEvent('Blue.')],
    ],
    { tools: [tool], settings: { reasoning: 'full' } },
  );
  const { outcome } = await outcomeOf(run());
  expect(JSON.stringify([requests.map(({ messages }) => messages), outcome])).not.toContain('SECRET');
});
