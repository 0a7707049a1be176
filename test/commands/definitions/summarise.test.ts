import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { fakePlatform } from '../../chat/completion-harness.ts';
import { messagesOf } from '../../summary/summary-harness.ts';
import { fakeInteraction, commandHarness } from '../command-harness.ts';

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
