import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import type { HistoryMessage } from '../../../shared/platforms/ports/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { endEvent, fakePlatform } from '../../chat/completion-harness.ts';
import { messagesOf } from '../../summary/summary-harness.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';

const BY = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: false, locale: 'en' };
const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;

const history = () =>
  Promise.resolve({ messages: messagesOf(['We meet on Monday.']), unreadThreads: 0, withoutText: 0 });

function harness() {
  const at = commandHarness({ platform: { ...fakePlatform(), readHistory: history } });
  const message = { thread: THREAD, id: messageId('1.2'), author: BY.user, text: 'Yes.', attachments: [] };
  const summarise = () =>
    at.call(fakeInteraction({ kind: 'on-message', name: 'summarise', message }, { id: 'asked', by: BY }));
  let calls = 0;
  const press = async (name: string, args: string[], by = BY, workspace = BY.workspace) => {
    calls += 1;
    const call = { kind: 'action' as const, action: { name, args }, chosen: [] };
    await at.call(fakeInteraction(call, { id: `press-${calls}`, by, workspace }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  return { ...at, summarise, press };
}

test('a thread’s summary is ephemeral until the asker shows it to everyone, once', async () => {
  const { summarise, press, stage } = harness();
  await summarise();
  expect(stage.answers.map(({ openly }) => openly)).toEqual([false]);
  expect(JSON.stringify(stage.answers[0]?.card)).toMatch(/An answer\..*summarise\.show/u);
  expect(stage.cards.size).toBe(0);
  expect(await press('summarise.show', ['asked'])).toContain('Shown in the thread');
  expect(stage.cards.get('sent-asked')).toEqual({
    by: 'U1',
    parts: [
      { kind: 'text', markdown: 'An answer.', ownLinks: ['https://x.example/100'] },
      {
        kind: 'note',
        markdown: expect.stringMatching(/^Based on 1 message of 1 person/u),
        ownLinks: ['https://x.example/100'],
      },
    ],
  });
  expect(await press('summarise.show', ['asked'])).toContain('out of date');
});

test('no other person or place can show a summary, and it cannot be edited as a form', async () => {
  const { summarise, press, stage } = harness();
  await summarise();
  expect(await press('summarise.show', ['asked'], { ...BY, user: userId('U2') })).toContain('out of date');
  expect(await press('summarise.show', ['asked'], BY, workspaceId('T2'))).toContain('out of date');
  expect(await press('summarise.show', ['forged'])).toContain('out of date');
  expect(await press('schema.send', ['asked'])).toContain('no longer exists');
  expect(stage.cards.size).toBe(0);
});

/** Ids as Slack has them: seconds. The person wrote the second one. */
const SAID = messagesOf(['Old.', 'Mine.', 'New.']).map((message, n) => ({
  ...message,
  id: messageId(`${100 + n}.000000`),
  at: (100 + n) * 1_000,
  by: userId(n === 1 ? 'U1' : 'U2'),
}));

function catchUpHarness(messages: readonly HistoryMessage[] = SAID) {
  const prompts: string[] = [];
  const places: unknown[] = [];
  const at = commandHarness({
    platform: {
      ...fakePlatform(),
      readHistory: async (place) => {
        places.push(place);
        return { messages, unreadThreads: 0, withoutText: 0 };
      },
    },
    chat: {
      ...streamsOnly,
      async *stream(prompt) {
        prompts.push(JSON.stringify(prompt));
        yield endEvent('Something.');
      },
    },
  });
  at.time.advance(200_000 - at.time.now());
  return { ...at, prompts, places };
}

test('catchup sums up what came after the own last message, only for the person, and says that it does not know what was read', async () => {
  const { call, stage, prompts } = catchUpHarness();
  await call(fakeInteraction(typedCommand('catchup'), { by: BY }));
  expect(prompts).toEqual([expect.stringMatching(/New\./u)]);
  expect(prompts[0]).not.toMatch(/Old\.|Mine\./u);
  expect(stage.answers.map(({ openly }) => openly)).toEqual([false]);
  expect(JSON.stringify(stage.answers[0]?.card)).toMatch(
    /Something\..*I cannot see what you have read: this begins after your last message here, of 1 Jan,? 00:01 (?:UTC|GMT)\./u,
  );
  expect(stage.cards.size).toBe(0);
});

test('catchup of messages of bots alone counts no people', async () => {
  const { call, stage } = catchUpHarness(SAID.map((one) => ({ ...one, isBot: one.by !== BY.user })));
  await call(fakeInteraction(typedCommand('catchup'), { by: BY }));
  expect(JSON.stringify(stage.answers[0]?.card)).toMatch(/Based on 1 message, \[1 Jan/u);
});

test('catchup begins after a message to which the person reacted, if that is newer than what they wrote, and tells its time', async () => {
  const [old, mine, recent] = SAID;
  if (!old || !mine || !recent) throw new Error('nothing is said');
  const reacted = {
    ...recent,
    id: messageId('150.000000'),
    at: 150_000,
    text: 'Seen.',
    reactedBy: [BY.user],
  };
  const newest = { ...recent, id: messageId('160.000000'), at: 160_000, text: 'Newest.' };
  const { call, stage, prompts } = catchUpHarness([{ ...old, reactedBy: [BY.user] }, mine, reacted, newest]);
  await call(fakeInteraction(typedCommand('catchup'), { by: BY }));
  expect(prompts).toEqual([expect.stringMatching(/Newest\./u)]);
  expect(prompts[0]).not.toMatch(/Mine\.|Seen\./u);
  expect(JSON.stringify(stage.answers[0]?.card)).toMatch(
    /this begins after the newest message to which you reacted, of 1 Jan,? 00:02 (?:UTC|GMT)\./u,
  );
});

test.each([
  ['101.000000', { channel: 'C1' }],
  ['1.1', { channel: 'C1', root: '1.1' }],
])('catching up from a message whose root is %s reads its channel or its thread', async (root, place) => {
  const { call, prompts, places } = catchUpHarness();
  const id = messageId('101.000000');
  const thread = { ...THREAD, root: messageId(root) };
  const message = { thread, id, author: BY.user, text: '', attachments: [] };
  await call(fakeInteraction({ kind: 'on-message', name: 'catchup', message }, { by: BY }));
  expect(prompts).toEqual([expect.stringMatching(/Mine\..*New\./u)]);
  expect(prompts[0]).not.toContain('Old.');
  expect(places).toEqual([{ platform: 'slack', workspace: 'T1', ...place }]);
});
