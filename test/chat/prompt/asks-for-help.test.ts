import { expect, test } from '@jest/globals';
import { asksForHelp, type PossibleHelpRequest } from '../../../shared/chat/prompt/prepare-question.ts';
import {
  channelId,
  integrationUser,
  messageId,
  type Thread,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { helpLabel } from '../../../shared/i18n/index.ts';
import { THREAD, threadHarness } from '../thread-harness.ts';

const NOW_MS = 1_767_225_600_000;
const DIRECT: Thread = {
  platform: 'discord',
  workspace: workspaceId('@me'),
  channel: channelId('61'),
  root: messageId('61'),
};

const INPUT: PossibleHelpRequest = {
  question: 'help',
  mergedQuestions: [],
  attachments: [],
  past: { turns: [] },
  receivedAt: NOW_MS,
};

const asks = (more: Partial<PossibleHelpRequest>, thread: Thread = THREAD, asker = userId('U1')): boolean =>
  asksForHelp(
    { thread, message: messageId('1.1'), asker, askerWorkspace: thread.workspace },
    { ...INPUT, ...more },
    NOW_MS,
  );

test('the name of the command help asks for help in every language, as people write it', () => {
  for (const question of Object.values<string>(helpLabel)) expect(asks({ question })).toBe(true);
  for (const question of ['Help!', ' /HELP ', '!help', 'Hilfe?', '“help”', 'ＨＥＬＰ', 'help\u200B 🙏'])
    expect(asks({ question })).toBe(true);
});

test('a question in which the word is only a part, or means something else, is for the model', () => {
  for (const question of ['', 'help me', 'help: 2 + 2', 'How do I get help?', 'helpdesk', 'settings', '?'])
    expect(asks({ question })).toBe(false);
  const line = { author: 'Ada', text: 'The build is broken.', at: 1, by: userId('U2') };
  const file = { id: 'F1', name: 'a.txt', mimetype: 'text/plain', bytes: 3 };
  expect(asks({ contextLines: [line] })).toBe(false);
  expect(asks({ unread: ['answers.empty'] })).toBe(false);
  expect(asks({ attachments: [file] })).toBe(false);
  expect(asks({ mergedQuestions: [{ message: messageId('1.2'), question: 'And why?' }] })).toBe(false);
  expect(asks({ receivedAt: undefined })).toBe(false);
  expect(asks({}, THREAD, integrationUser({ id: '0123456789abcdef' }))).toBe(false);
});

const ANSWERED = { kind: 'answered', text: 'Which word?', finish: 'stop', model: 'model-a' } as const;

/** A thread with an answer to a question of so many ms ago. */
const answeredBefore = (ms: number): Pick<PossibleHelpRequest, 'past'> => {
  const message = messageId(((NOW_MS - ms) / 1_000).toFixed(6));
  return { past: { turns: [{ message, outcome: ANSWERED }] } };
};

test('it continues a conversation, but in a direct chat only for an hour', () => {
  expect(asks(answeredBefore(60_000))).toBe(false);
  expect(asks(answeredBefore(86_400_000))).toBe(false);
  expect(asks(answeredBefore(60_000), DIRECT)).toBe(false);
  expect(asks(answeredBefore(86_400_000), DIRECT)).toBe(true);
});

test('the bot says how to ask it, with the command that shows more, and asks no model; nothing has failed', async () => {
  const logged: string[] = [];
  const thread = threadHarness([], { log: (event) => void logged.push(event) });
  await thread.say('1.1', 'U1', 'Help!');
  await thread.queued();
  expect(thread.prompts).toEqual([]);
  expect(await thread.outcome('1.1')).toMatchObject({
    kind: 'failed',
    reason: 'greeting',
    text: expect.stringMatching(/Ask me something.*`\/parley help`/u),
  });
  expect(logged).not.toContain('question.failed');
  await thread.say('1.2', 'U1', 'Translate a word');
  await thread.queued();
  await thread.say('1.3', 'U1', 'Help!');
  await thread.queued();
  expect(thread.prompts).toHaveLength(2);
});
