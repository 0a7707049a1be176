import { beforeEach, describe, expect, test } from '@jest/globals';
import { channelId, type Interaction, parseTask } from '../../shared/domain/index.ts';
import { CannotPostError } from '../../shared/platforms/ports/index.ts';
import { Schedules } from '../../shared/storage/index.ts';
import { dispatchTask, requeueStuckTasks } from '../../shared/worker/index.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { ADMIN, MEMBER } from '../commands/settings-harness.ts';
import { spendingIn } from '../fakes/spending.ts';
import { TestTime } from '../upstream/time.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** The clock begins on a Thursday. */
const FIRST_MONDAY = Date.parse('2026-01-05T09:00:00Z');

let isAdmin: boolean;
let at: ReturnType<typeof harness>;

beforeEach(() => {
  isAdmin = true;
  at = harness();
});

const memberRoles = () => Promise.resolve({ admin: isAdmin, roles: [] });

/** The command as Discord sends it. */
const subscribe = (to: string): Interaction['payload'] => ({
  kind: 'command',
  name: 'weekly',
  options: { do: 'on', to },
  attachments: [],
});

/** A workspace whose schedules are swept and run. */
function harness() {
  const time = new TestTime();
  const budgets = spendingIn(time);
  const base = commandHarness({ budgets, memberRoles }, time);
  const { context, stage, queue, dynamo } = base;
  const schedules = new Schedules({ dynamo, table: 'conversations', now: time.now });
  let calls = 0;
  const type = async (text: string, by: Interaction['by'] = ADMIN) => {
    calls += 1;
    await base.call(fakeInteraction(typedCommand(text), { id: `call-${calls}`, by }));
    return JSON.stringify(stage.answers.at(-1)?.card);
  };
  const sweep = async () => {
    const due = { turns: context.turns, jobs: { listDue: () => Promise.resolve([]) } };
    const parts = { transcriptionQueue: queue, now: time.now, log: context.log };
    return requeueStuckTasks({ ...due, schedules, queue, ...parts });
  };
  const deliver = (body: string) =>
    dispatchTask(body, context, { deadline: time.now() + 60_000, isRedelivery: false, isLast: false });
  /** Sweeps and runs what is due at a moment. */
  const runAt = async (ms: number) => {
    time.advance(ms - time.now());
    await sweep();
    for (const { body } of queue.sent.splice(0)) await deliver(body);
  };
  const ask = async (person: string) => {
    const { platform, workspace } = fakeInteraction(typedCommand(''));
    const thread = { platform, workspace, channel: channelId('C1') };
    const plan = { id: `${person}-${time.now()}`, person, model: 'm', prompt: [], maxTokens: 1 };
    const reservation = await budgets.reserve({ ...plan, thread });
    await reservation.settle('m', undefined, 'So.', { isQuestion: true });
  };
  const messages = () => stage.directMessages.map(({ card }) => JSON.stringify(card));
  return { ...base, type, sweep, deliver, runAt, ask, messages };
}

test('an administrator subscribes, gets a summary of the last seven days, and unsubscribes', async () => {
  await at.ask('U1');
  at.time.advance(HOUR_MS);
  await at.ask('U2');
  const card = await at.type('weekly on');
  expect(card).toContain('The weekly summary is on');
  expect(card).toContain('Monday, 09:00 (UTC)');
  expect(card).toMatch(/Mon,? 5 Jan, 09:00/u);
  await at.runAt(FIRST_MONDAY - 1);
  expect(at.messages()).toEqual([]);
  await at.runAt(FIRST_MONDAY);
  expect(at.messages()).toHaveLength(1);
  expect(at.messages()[0]).toMatch(
    /29 December.*4 January.*"Answered questions","value":"2 \(0\)".*"People","value":"2 \(0\)".*\$2\.00 \(\$0\.00\).*To end this: `\/parley weekly off`/u,
  );
  // No names, no questions.
  expect(at.messages()[0]).not.toMatch(/U1|U2|So\./u);
  await at.runAt(FIRST_MONDAY + WEEK_MS);
  expect(at.messages()[1]).toContain(
    'Nobody asked me anything. In the week before it was # questions'.replace('#', '2'),
  );
  expect(await at.type('weekly off')).toContain('is off');
  await at.runAt(FIRST_MONDAY + 2 * WEEK_MS);
  expect(at.messages()).toHaveLength(2);
  expect(await at.type('weekly off')).toContain('no weekly summary');
});

test('people without a booking, and channels, are not counted', async () => {
  await at.ask('U1');
  const { platform, workspace } = fakeInteraction(typedCommand(''));
  const thread = { platform, workspace, channel: channelId('C1') };
  const plan = { id: 'rejected', thread, person: 'U2', atto: 1n, maxMs: 60_000 };
  await at.context.budgets.settleFixedPrice(await at.context.budgets.reserveFixedPrice(plan), plan);
  at.time.advance(24 * HOUR_MS);
  expect(await at.type('weekly')).toMatch(/"People","value":"1 \(0\)".*\$1\.00/u);
});

test('the last seven days, and who gets the summary, are shown to administrators only', async () => {
  await at.ask('U1');
  at.time.advance(24 * HOUR_MS);
  expect(await at.type('weekly')).toMatch(
    /"Answered questions","value":"1 \(0\)".*Nobody gets this every week/u,
  );
  await at.type('weekly on friday 16:30 channel zone:Europe/Berlin');
  expect(await at.type('weekly')).toMatch(/<#C1>.*Friday, 16:30 \(Europe\/Berlin\)/u);
  expect(await at.type('weekly', MEMBER)).toContain('Only admins');
  expect(await at.type('weekly on', MEMBER)).toContain('Only admins');
});

test('a subscription in a time zone that this system does not know is shown, and can be ended', async () => {
  await at.type('weekly on');
  const [subscription] = await at.context.schedules.list(fakeInteraction(typedCommand('')));
  if (!subscription) throw new Error('nobody is subscribed');
  await at.context.schedules.save({
    ...subscription,
    recurrence: { ...subscription.recurrence, zone: 'Mars/Base' },
  });
  expect(await at.type('weekly')).toContain('“Mars/Base” is not a time zone');
  expect(await at.type('weekly off')).toContain('is off');
});

test.each([
  ['segunda 9', 'Monday, 09:00 (UTC)'],
  ['friday at 9', 'Friday, 09:00 (UTC)'],
  ['freitags um 16:30 Uhr', 'Friday, 16:30 (UTC)'],
  ['周五 下午4点', 'Friday, 16:00 (UTC)'],
])('weekly on %s is understood', async (words, expected) => {
  expect(await at.type(`weekly on ${words}`)).toContain(expected);
});

test.each([
  ['weekly on monday soon', /“soon” is not a time of day/u],
  ['weekly on moonday 9', /“moonday 9” is not a time of day.*`\/parley weekly on friday 16:00 me`/u],
  ['weekly on zone:Mars', /“Mars” is not a time zone/u],
])('%s is explained', async (text, expected) => {
  expect(await at.type(text)).toMatch(expected);
  expect(await at.context.schedules.list(fakeInteraction(typedCommand('')))).toEqual([]);
});

describe('once', () => {
  test('a run that is delivered again, or enqueued by another sweep, is shown once', async () => {
    await at.type('weekly on');
    at.time.advance(FIRST_MONDAY - at.time.now());
    await at.sweep();
    await at.sweep();
    // The queue drops the second one: it has the same id.
    expect(new Set(at.queue.sent.map(({ dedup }) => dedup)).size).toBe(1);
    for (const { body } of at.queue.sent) await at.deliver(body);
    expect(at.messages()).toHaveLength(1);
  });

  test('a worker that dies after the message was sent, before the next run is set, sends no second one', async () => {
    await at.type('weekly on');
    const { advance } = at.context.schedules;
    at.context.schedules.advance = () => Promise.reject(new Error('no table'));
    await expect(at.runAt(FIRST_MONDAY)).rejects.toThrow('no table');
    at.context.schedules.advance = advance;
    await at.runAt(FIRST_MONDAY + 60_000);
    await at.runAt(FIRST_MONDAY + 120_000);
    expect(at.messages()).toHaveLength(1);
    await at.runAt(FIRST_MONDAY + WEEK_MS);
    expect(at.messages()).toHaveLength(2);
  });

  test('a platform that is down delays the summary', async () => {
    await at.type('weekly on');
    at.stage.refuse.sendDirectMessage = new Error('Slack is down');
    await expect(at.runAt(FIRST_MONDAY)).rejects.toThrow('Slack is down');
    delete at.stage.refuse.sendDirectMessage;
    await at.runAt(FIRST_MONDAY + 2 * HOUR_MS);
    expect(at.messages()).toHaveLength(1);
    expect(at.messages()[0]).toContain('The week');
  });

  test('a summary that was moved meanwhile comes at the new time only', async () => {
    await at.type('weekly on');
    at.time.advance(FIRST_MONDAY - at.time.now());
    await at.sweep();
    await at.type('weekly on tuesday');
    for (const { body } of at.queue.sent.splice(0)) await at.deliver(body);
    expect(at.messages()).toEqual([]);
    await at.runAt(FIRST_MONDAY + 24 * HOUR_MS);
    expect(at.messages()).toHaveLength(1);
  });

  test('weeks in which nothing ran are reported, and not made up for', async () => {
    await at.type('weekly on');
    await at.runAt(FIRST_MONDAY + WEEK_MS + 13 * HOUR_MS);
    expect(at.messages()).toHaveLength(1);
    expect(at.messages()[0]).toMatch(
      /2 weekly summaries were not sent, the first one of Mon,? 5 Jan, 09:00.*`\/parley weekly`.*next one comes on Mon,? 19 Jan, 09:00/u,
    );
    await at.runAt(FIRST_MONDAY + 2 * WEEK_MS);
    expect(at.messages()).toHaveLength(2);
    expect(at.messages()[1]).toContain('The week');
  });
});

describe('where it may not be shown', () => {
  test('a channel that is closed to the bot is reported to the subscriber once; the fourth time ends it', async () => {
    await at.type('weekly on to:channel');
    at.stage.refuse.startThread = new CannotPostError('is_archived');
    for (let week = 0; week < 5; week += 1) await at.runAt(FIRST_MONDAY + week * WEEK_MS);
    expect(at.messages()).toHaveLength(1);
    expect(at.messages()[0]).toMatch(
      /could not post the weekly summary in <#C1>.*`\/parley weekly off channel`|to:channel/u,
    );
    expect(await at.type('weekly')).toContain('Nobody gets this');
  });

  test('a channel gets it as a message of its own', async () => {
    await at.type('weekly on to:channel');
    await at.runAt(FIRST_MONDAY);
    expect([...at.stage.cards.values()].map((card) => card.title)).toEqual([
      expect.stringMatching(/29 December.*4 January/u),
    ]);
    expect(at.messages()).toEqual([]);
  });

  test('a channel of a server that the bot was not added to gets none; its administrator may', async () => {
    const there = { by: ADMIN, platform: 'discord', botAbsent: true } as const;
    await at.call(fakeInteraction(subscribe('channel'), there));
    expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain(
      'works only in a server that I was added',
    );
    await at.call(fakeInteraction(subscribe('me'), { id: 'call-2', ...there }));
    expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain('weekly summary is on');
  });

  test('a person who no longer administers the workspace gets nothing', async () => {
    await at.type('weekly on');
    isAdmin = false;
    await at.runAt(FIRST_MONDAY);
    isAdmin = true;
    await at.runAt(FIRST_MONDAY + WEEK_MS);
    expect(at.messages()).toEqual([]);
  });
});

test('a task carries no more than ids', async () => {
  await at.type('weekly on');
  at.time.advance(FIRST_MONDAY - at.time.now());
  await at.sweep();
  expect(at.queue.sent.map(({ body }) => parseTask(body))).toMatchObject([
    { kind: 'scheduled', scheduleId: `weekly-${ADMIN.user}`, runAt: FIRST_MONDAY },
  ]);
});
