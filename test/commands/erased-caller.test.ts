import { expect, test } from '@jest/globals';
import {
  serializeTask,
  type Interaction,
  type InteractionPayload,
  messageId,
  parseTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { ErasureMoments } from '../../shared/storage/index.ts';
import { TestTime } from '../upstream/time.ts';
import { THREAD } from '../chat/thread-harness.ts';
import { fakeInteraction, commandHarness, typedCommand } from './command-harness.ts';

// A task may wait for days until a worker gets to it. What somebody called before they had themselves forgotten is not done after it.

const FORGOTTEN_AT = 5_000;
const SAVE = typedCommand('persona save cook Be a canary.');
const ON_DISCORD: InteractionPayload = {
  kind: 'command',
  name: 'persona',
  options: { do: 'save', name: 'cook', text: 'Be a canary.' },
  attachments: [],
};

/** Somebody has themselves forgotten; then a worker gets to a call of theirs. */
async function called(call: InteractionPayload, more: Partial<Interaction>, workspaceOfErasure?: null) {
  const at = commandHarness({}, new TestTime(10_000));
  const interaction = fakeInteraction(call, more);
  const { platform, workspace, by } = interaction;
  const subject = { platform, workspace: workspaceOfErasure === null ? undefined : workspace, user: by.user };
  await new ErasureMoments({ dynamo: at.dynamo, table: 'conversations' }).record(subject, FORGOTTEN_AT);
  const done = await at.call(interaction);
  const stored = JSON.stringify(at.dynamo.items('conversations'));
  return { ...at, done, stored, cards: JSON.stringify(at.stage.answers.map(({ card }) => card)) };
}

test.each([
  ['before it', { receivedAt: FORGOTTEN_AT - 1 }],
  ['in the same millisecond', { receivedAt: FORGOTTEN_AT }],
])(
  'a text that somebody had saved %s is not saved once they are forgotten, and they are told',
  async (_, more) => {
    const { done, stored, cards } = await called(SAVE, more);
    expect(done).toEqual({ kind: 'done' });
    expect(stored).not.toContain('canary');
    expect(cards).toContain('was deleted after you used the command');
  },
);

test('on Discord the same holds after an erasure in all guilds', async () => {
  const { stored, cards } = await called(ON_DISCORD, { receivedAt: 1, platform: 'discord' }, null);
  expect(stored).not.toContain('canary');
  expect(cards).toContain('was deleted after you used the command');
});

test.each([
  ['after it', { receivedAt: FORGOTTEN_AT + 1 }],
  ['at a time that an older front did not note', {}],
])('what they have saved %s is saved', async (_, more) => {
  const onSlack = await called(SAVE, more);
  const onDiscord = await called(ON_DISCORD, { ...more, platform: 'discord' }, null);
  for (const { stored, cards } of [onSlack, onDiscord]) {
    expect(stored).toContain('canary');
    expect(cards).not.toContain('was deleted after you used the command');
  }
});

test.each([
  ['its thread', { thread: THREAD }],
  ['the workspace', { platform: 'slack' as const, workspace: workspaceId('T1') }],
])('what somebody called before %s was forgotten is not done after it', async (_, subject) => {
  const at = commandHarness({}, new TestTime(10_000));
  const moments = new ErasureMoments({ dynamo: at.dynamo, table: 'conversations' });
  await moments.record(subject, FORGOTTEN_AT);
  await at.call(fakeInteraction(SAVE, { receivedAt: FORGOTTEN_AT, thread: THREAD }));
  expect(JSON.stringify(at.dynamo.items('conversations'))).not.toContain('canary');
  await at.call(fakeInteraction(SAVE, { receivedAt: FORGOTTEN_AT + 1, thread: THREAD, id: 'call-2' }));
  expect(JSON.stringify(at.dynamo.items('conversations'))).toContain('canary');
});

test('earlier interactions of other people are handled', async () => {
  const at = commandHarness({}, new TestTime(10_000));
  const interaction = fakeInteraction(SAVE, { receivedAt: 1 });
  const { platform, workspace } = interaction;
  const moments = new ErasureMoments({ dynamo: at.dynamo, table: 'conversations' });
  await moments.record({ platform, workspace, user: userId('U2') }, FORGOTTEN_AT);
  await at.call(interaction);
  expect(JSON.stringify(at.dynamo.items('conversations'))).toContain('canary');
});

test('a redelivered erasure request is not refused', async () => {
  const press = { name: 'forget.me', args: [] };
  const { cards } = await called({ kind: 'action', action: press, chosen: [] }, { receivedAt: 1 });
  expect(cards).not.toContain('was deleted after you used the command');
});

test('an earlier reaction has no effect and gets no response', async () => {
  const { cards, done } = await called(
    { kind: 'reacted', name: 'translate', message: messageId('1.1') },
    { receivedAt: 1 },
  );
  expect([cards, done]).toEqual(['[]', { kind: 'done' }]);
});

test.each([{ receivedAt: 7 }, {}])('a task holds the moment of its call, or none: %j', (more) => {
  const one = fakeInteraction(SAVE, more);
  const thread = { platform: 'slack', workspace: 'T1', channel: 'C1', root: one.id };
  const task = { v: 1, kind: 'invoked', thread, message: one.id, asker: 'U1', askerWorkspace: 'T1' };
  const read = parseTask(serializeTask({ ...task, interaction: one }));
  expect(read?.kind === 'invoked' ? read.interaction.receivedAt : 'not read').toBe(more.receivedAt);
});
