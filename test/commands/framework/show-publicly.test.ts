import { expect, test } from '@jest/globals';
import { showPublicly } from '../../../shared/commands/framework/show-publicly.ts';
import { channelId, messageId, textCard, type Thread, workspaceId } from '../../../shared/domain/index.ts';
import { CannotPostError, ReplyRefusedError } from '../../../shared/platforms/ports/index.ts';
import { commandHarness, fakeInteraction } from '../command-harness.ts';

const NOT_THERE = new CannotPostError('not in the channel');
const BLOCKED = new CannotPostError('no', { why: 'words-blocked' });

/** Shows a draft where a post is refused, and so is the public response. */
async function showRefused(refusal: Error, posting = NOT_THERE, thread?: Thread) {
  const { stage, context, logged } = commandHarness();
  let changes = 0;
  const drafts = { ...context.drafts, change: async () => (changes += 1) > 0 };
  stage.refuse.startThread = posting;
  stage.refuse.postCard = posting;
  const respond = stage.respond.bind(stage);
  stage.respond = (interaction, card, isPublic) =>
    isPublic === true ? Promise.reject(refusal) : respond(interaction, card);
  const action = { name: 'schema.send', args: ['asked'] };
  const payload = { kind: 'action' as const, action, chosen: [] };
  const interaction = fakeInteraction(payload);
  // The setting `language` comes before the locale of the client.
  const request = {
    interaction: { ...interaction, by: { ...interaction.by, locale: 'en' } },
    payload,
    locale: 'de' as const,
    admin: false,
  };
  const draft = { id: 'asked', by: 'U1', name: 'ticket', frame: '{}', value: '{}', sent: false, revision: 1 };
  const card = textCard('See https://bad.example');
  const isShown = await showPublicly(request, thread, card, draft, { ...context, drafts });
  return { isShown, changes, logged, shown: stage.answers.map((one) => JSON.stringify(one.card)) };
}

test('a form whose words a filter blocks is not marked as sent, and the person is told so in their language', async () => {
  expect(await showRefused(new ReplyRefusedError('no', { why: 'words-blocked' }))).toEqual({
    isShown: false,
    changes: 0,
    logged: ['interaction.response-failed'],
    shown: [expect.stringContaining('Discord nimmt meine Antwort nicht an')],
  });
});

const THREAD: Thread = {
  platform: 'discord',
  workspace: workspaceId('1'),
  channel: channelId('2'),
  root: messageId('3'),
};

test.each([
  ['in a channel', undefined],
  ['in a thread', THREAD],
])('so they are where it blocks the post %s; no response shows the words instead', async (_, thread) => {
  expect(await showRefused(new Error('not asked'), BLOCKED, thread)).toEqual({
    isShown: false,
    changes: 0,
    logged: [],
    shown: [expect.stringContaining('Discord nimmt meine Antwort nicht an')],
  });
});

test('any other refusal of the response to everyone rejects', async () => {
  await expect(showRefused(new ReplyRefusedError('too late'))).rejects.toThrow('too late');
});
