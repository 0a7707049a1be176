import { streamsOnly } from '../../fakes/streams-only.ts';
import { intakeWithin } from '../../../shared/intake/within-worker.ts';
import { describe, expect, test } from '@jest/globals';
import { ATTO_PER_DOLLAR } from '../../../shared/billing/budgets/index.ts';
import {
  channelId,
  type Interaction,
  messageId,
  serializeTask,
  type Thread,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { acceptQuestion } from '../../../shared/intake/index.ts';
import { dispatchTask, type WorkerContext } from '../../../shared/worker/index.ts';
import type { AnswerActions } from '../../../shared/platforms/ports/index.ts';
import { endEvent, FakeReply, fakePlatform } from '../../chat/completion-harness.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';
import { TestTime } from '../../upstream/time.ts';

const BY = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: true, locale: 'en' };
const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;
const USAGE = { promptTokens: 1_000, completionTokens: 200, reasoningTokens: 50, cachedTokens: 800 };
const PRICED = { id: 'model-a', inputModalities: ['text'], capabilities: [], ready: true };

/** A world in which each answer takes 2 s from the first request, and its first word half of that. */
function harness(more: Partial<WorkerContext['chat']> = {}, priced = true, zone?: string) {
  const under: (AnswerActions | undefined)[] = [];
  const prompts: string[] = [];
  // The timer of a claim (3 s) is no short sleep, which would move the clock.
  const at = commandHarness({ userProfile: async () => ({ zone }) }, new TestTime(3_000));
  const chat: WorkerContext['chat'] = {
    ...streamsOnly,
    model: 'model-a',
    async *stream(_, { beforeAttempt }) {
      at.time.advance(300);
      await beforeAttempt();
      await beforeAttempt();
      at.time.advance(1_000);
      yield { type: 'text', text: 'An answer.' };
      at.time.advance(1_000);
      yield endEvent('An answer.', { usage: USAGE, weightVersion: 'w7', requestId: 'req-1' });
    },
    suggestQuestions: async (__, { model }) => {
      prompts.push(model);
      return ['What else?'];
    },
    listModels: async () => [{ ...PRICED, pricePerThousand: (usage) => usage.promptTokens / 100 }],
    ...more,
  };
  const reply = () =>
    Object.assign(new FakeReply(), {
      publish: (_: string, actions?: AnswerActions) => {
        under.push(actions);
        return Promise.resolve([messageId('1.15')]);
      },
    });
  const price: WorkerContext['price'] = () =>
    Promise.resolve({ atto: priced ? ATTO_PER_DOLLAR / 100n : 0n, priced });
  const context = { ...at.context, chat, price, platform: { ...fakePlatform(), reply } };
  const run = (body: string) =>
    dispatchTask(body, context, { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false });
  const ask = async (
    id: string,
    addressed: 'mention' | 'if-member' = 'mention',
    thread: Thread = THREAD,
    text = 'Why?',
  ) => {
    const message = { thread, id: messageId(id), author: BY.user, authorWorkspace: BY.workspace };
    const question = { ...message, text, attachments: [], addressed };
    const outcome = await acceptQuestion(question, intakeWithin(context));
    at.time.advance(500);
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift()) await run(sent.body);
    return outcome;
  };
  let calls = 0;
  const call = async (payload: Interaction['payload'], where: Partial<Interaction> = { thread: THREAD }) => {
    calls += 1;
    const one = fakeInteraction(payload, { id: `call-${calls}`, by: BY, ...where });
    const task = { v: 1, kind: 'invoked', thread: THREAD, message: one.id, asker: BY.user };
    await run(serializeTask({ ...task, askerWorkspace: BY.workspace, interaction: one }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  return { ...at, ask, call, under, prompts };
}

const pointed = (id: string) => ({
  kind: 'on-message' as const,
  name: 'why',
  message: { thread: THREAD, id: messageId(id), author: BY.user, text: '', attachments: [] },
});

test('why explains an answer, found by its question, by its message, or as the last one', async () => {
  const { ask, call } = harness();
  await ask('1.1');
  const card = await call(typedCommand('why'));
  const facts = [
    ['Waited in the queue', '0.5 s'],
    ['Requests, retries included', '2'],
    ['Model', 'model-a'],
    ['Weight version', 'w7'],
    ['Tokens', '1,000 in, 200 out, of those 50 reasoning'],
    ['From the cache', '80%'],
    ['Cost', '$0.01'],
    ['Attempts', '1'],
    ['Ended', 'stop'],
    ['Request', 'req-1'],
  ];
  for (const [name, value] of facts) expect(card).toContain(JSON.stringify({ name, value }));
  // Statuses shown meanwhile take their time too: what is sure is the order, and what lies between at least.
  const [waitedMs = 0, first = 0, whole = 0] = [
    'Until the model was asked',
    'First word after',
    'Whole after',
  ].map((name) => Number(new RegExp(`"${name}","value":"([\\d.]+) s"`, 'u').exec(card)?.[1]));
  expect(waitedMs).toBeGreaterThanOrEqual(0.3);
  expect(first).toBeGreaterThanOrEqual(0.5 + waitedMs + 1);
  expect(whole).toBeGreaterThanOrEqual(first + 1);
  expect(await call(pointed('1.1'))).toBe(card);
  expect(await call(pointed('1.15'))).toBe(card);
  expect(await call(pointed('9.9'))).toContain('I have stored nothing about this');
});

test.each([
  ['Asia/Tokyo', 'en', /"Received","value":"1 Jan 2026,? 09:00:00 (?:JST|GMT\+9)"/u],
  ['', 'en', /"Received","value":"1 Jan 2026,? 00:00:00 UTC"/u],
  ['Mars/Olympus', 'en', /"Received","value":"1 Jan 2026,? 00:00:00 UTC"/u],
  [undefined, 'en', /"Received","value":"1 Jan 2026,? 00:00:00 UTC"/u],
  ['Asia/Tokyo', 'de', /"Erhalten","value":"1\. Jan\. 2026,? 09:00:00 (?:JST|GMT\+9)"/u],
] as const)(
  'the time of a question is in the time zone of the reader (%s, %s), which is named',
  async (zone, locale, expected) => {
    const { ask, call } = harness({}, true, zone);
    await ask('1.1');
    expect(await call(typedCommand('why'), { by: { ...BY, locale } })).toMatch(expected);
  },
);

describe.each([
  ['slack', '1700000000.000100', '1900000000.000100', '1800000000.000100'],
  // In Discord, `ask` in a channel belongs to a conversation of the person; ids have different lengths.
  ['discord', 'c1', '1800000000000000001', '900000000000000001'],
] as const)('why in a channel of %s', (platform, root, last, earlier) => {
  const place = { platform, workspace: workspaceId('T1'), channel: channelId('C1') };
  const threadOf = (of: string): Thread => ({ ...place, root: messageId(of) });
  const command =
    platform === 'slack' ? typedCommand('why') : { ...typedCommand(''), name: 'why', options: {} };

  test('explains the answer to the last question of the person there, in whichever thread, and says which it is', async () => {
    const { ask, call } = harness();
    await ask(earlier, 'mention', threadOf(earlier), 'What was first?');
    await ask(last, 'mention', threadOf(root), 'What was [last](x), **is** 6*7?');
    const card = await call(command, place);
    expect(card).toContain('your last question in this channel: “What was last (x), is 6∗7?”');
    expect(card).toContain('{"name":"Request","value":"req-1"}');
  });

  test('says how to look at other answers, if the person asked nothing there', async () => {
    const { ask, call } = harness();
    await ask(last, 'mention', threadOf(root));
    const other = { ...place, by: { ...BY, user: userId('U2') } };
    for (const where of [other, { ...place, channel: channelId('C12') }])
      expect(await call(command, where)).toMatch(
        platform === 'slack'
          ? /no question of yours.*“More actions › Why this answer”/u
          : /no question of yours.*“Why this answer”/u,
      );
  });
});

test('prices of models are for a turn like the last one of the thread', async () => {
  const { ask, call } = harness();
  expect(await call(typedCommand('model'))).toContain('turns of 2,400 tokens');
  await ask('1.1');
  const card = await call(typedCommand('model'));
  expect(card).toContain('turns of 1,200 tokens');
  expect(card).toContain('`model-a` $10.00');
});

describe('settings that change answers', () => {
  test('footer: shows model, tokens and cost below an answer', async () => {
    const { ask, call, under } = harness();
    await ask('1.1');
    await call(typedCommand('settings footer yes'));
    await ask('1.2');
    expect(under.map((one) => one?.footer)).toEqual([undefined, 'model-a · 1,200 tokens · $0.01']);
    expect(under.flatMap((one) => one?.steps ?? [])).toEqual([]);
  });

  test('footer: says that an unknown cost is unknown', async () => {
    const { ask, call, under } = harness({}, false);
    await call(typedCommand('settings footer yes'));
    await ask('1.1');
    const unknown = 'model-a · 1,200 tokens · Cost unknown: the model has no price';
    expect(under.at(-1)?.footer).toBe(unknown);
  });

  test('suggestions: off, or from the model that answers', async () => {
    const { ask, call, prompts } = harness();
    await ask('1.1');
    expect(prompts).toEqual([]);
    await call(typedCommand('settings suggestions yes'));
    await ask('1.2');
    expect(prompts).toEqual(['model-a']);
    await call(typedCommand('settings suggestions no'));
    await ask('1.3');
    expect(prompts).toHaveLength(1);
  });

  test('retentionDays: sets when a turn expires', async () => {
    const { ask, call, dynamo, time } = harness();
    await ask('1.1');
    await call(typedCommand('settings retentionDays 2 for:channel'));
    await ask('1.2');
    const days = dynamo
      .items('conversations')
      .flatMap(({ body, ttl }) => (body ? [Math.round((Number(ttl?.N) - time.now() / 1_000) / 86_400)] : []));
    expect(days).toEqual([30, 2]);
  });

  test('mentions: `only` requires a mention even in the bot’s threads; `free` requires none in any thread', async () => {
    const { ask, call, time } = harness();
    expect(await ask('1.1', 'if-member')).toBe('ignored');
    await call(typedCommand('settings mentions free for:channel'));
    time.advance(30_001);
    expect(await ask('1.1', 'if-member')).toBe('queued');
    await call(typedCommand('settings mentions only for:channel'));
    expect(await ask('1.2', 'if-member')).toBe('ignored');
    expect(await ask('1.3')).toBe('queued');
    await call(typedCommand('settings mentions threads for:channel'));
    expect(await ask('1.4', 'if-member')).toBe('queued');
  });
});
