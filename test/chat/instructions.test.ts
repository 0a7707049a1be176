import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { describe, expect, test } from '@jest/globals';
import { channelId, messageId, type PromptMessage, userId, workspaceId } from '../../shared/domain/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../commands/command-harness.ts';
import { ADMIN, MEMBER } from '../commands/settings-harness.ts';
import { endEvent, fakePlatform } from './completion-harness.ts';
import { messagesOf as saidIn } from '../summary/summary-harness.ts';

const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;
const MESSAGE = { thread: THREAD, id: messageId('1.2'), author: MEMBER.user, text: 'Yes.', attachments: [] };
const FORM = '{"type":"object","properties":{"title":{"type":"string"}}}';

/** A deployment with instructions of its own, and all its model requests. */
function harness() {
  const prompts: (readonly PromptMessage[])[] = [];
  const at = commandHarness({
    settings: { ...DEFAULTS, systemPrompt: 'Rule of the deployment.' },
    platform: {
      ...fakePlatform(),
      readHistory: async () => ({ messages: saidIn(['On Monday.']), unreadThreads: 0, withoutText: 0 }),
    },
    chat: {
      ...streamsOnly,
      async *stream(prompt: readonly PromptMessage[]) {
        prompts.push(prompt);
        yield endEvent('{"title":"Yes"}');
      },
    },
  });
  let calls = 0;
  const id = () => `call-${(calls += 1)}`;
  const type = async (text: string, by = MEMBER) =>
    at.call(fakeInteraction(typedCommand(text), { id: id(), by }));
  return {
    ...at,
    type,
    call: (call: Parameters<typeof fakeInteraction>[0]) =>
      at.call(fakeInteraction(call, { id: id(), by: MEMBER })),
    message: async () => {
      const root = messageId(`2.${calls}`);
      const chatMessage = { thread: { ...THREAD, root }, id: root, author: userId('U1'), attachments: [] };
      const message = { ...chatMessage, authorWorkspace: workspaceId('T1'), text: 'Why?' };
      await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(at.context));
      const delivery = { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false };
      await dispatchTask(at.queue.sent.at(-1)?.body ?? '', at.context, delivery);
    },
    /** The system message of the last request. */
    system: () => prompts.at(-1)?.[0]?.content,
    number: () => prompts.length,
  };
}

type World = ReturnType<typeof harness>;

/** Every way to ask that leads to a model request. */
const WAYS: Readonly<Record<string, (at: World) => Promise<unknown>>> = {
  'a message': ({ message }) => message(),
  'a private question': ({ type }) => type('ask private:yes Why?'),
  'a form that an answer fills in': async ({ type }) => {
    await type(`schema save bug ${FORM}`);
    await type('ask schema:bug Why?');
  },
  'a question about a message': ({ call }) =>
    call({ kind: 'form', action: { name: 'ask.about', args: [] }, values: { question: 'Why?' } }),
  'the summary of a thread': ({ call }) => call({ kind: 'on-message', name: 'summarise', message: MESSAGE }),
};

describe('instructions come before the persona', () => {
  test.each(Object.entries(WAYS))('in %s', async (_, ask) => {
    const at = harness();
    await at.type('settings instructions Rule of the workspace. for:workspace', ADMIN);
    await at.type('settings instructions Rule of the channel. for:channel', ADMIN);
    await at.type('persona save pirate You are a pirate.');
    await at.call({
      kind: 'action',
      action: { name: 'persona.use', args: ['pirate', 'person'] },
      chosen: [],
    });
    at.time.advance(30_001);
    await ask(at);
    expect(at.number()).toBeGreaterThan(0);
    expect(at.system()).toMatch(
      /^Rule of the deployment\.\n\nRule of the workspace\.\n\nRule of the channel\.\n\n[^]*those above hold[^]*You are a pirate\.$/u,
    );
  });

  test('without a persona the prompt has the instructions, then the language', async () => {
    const at = harness();
    await at.type('settings language de');
    at.time.advance(30_001);
    await at.message();
    expect(at.system()).toBe(
      'Rule of the deployment.\n\nAnswer in German, whatever the language of the question.',
    );
  });

  test('without instructions the prompt has only the persona', async () => {
    const at = harness();
    const context = { ...at.context, settings: { ...at.context.settings, systemPrompt: '' } };
    await at.type('persona save pirate You are a pirate.');
    await at.call({
      kind: 'action',
      action: { name: 'persona.use', args: ['pirate', 'person'] },
      chosen: [],
    });
    at.time.advance(30_001);
    const root = messageId('3.1');
    const chatMessage = { thread: { ...THREAD, root }, id: root, author: userId('U1'), attachments: [] };
    const message = { ...chatMessage, authorWorkspace: workspaceId('T1'), text: 'Why?' };
    await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(context));
    const delivery = { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false };
    await dispatchTask(at.queue.sent.at(-1)?.body ?? '', context, delivery);
    expect(at.system()).toBe('You are a pirate.');
  });

  test('a channel cannot add to a value that the workspace locks', async () => {
    const at = harness();
    await at.type('settings instructions Rule of the channel. for:channel', ADMIN);
    await at.type(
      'settings name:instructions value:"Rule of the workspace." for:workspace lock:"legal"',
      ADMIN,
    );
    at.time.advance(30_001);
    await at.message();
    expect(at.system()).toBe('Rule of the deployment.\n\nRule of the workspace.');
  });

  test('members cannot change instructions', async () => {
    const at = harness();
    for (const level of ['me', 'thread', 'channel', 'workspace'])
      await at.type(`settings instructions Obey me. for:${level}`);
    at.time.advance(30_001);
    await at.message();
    expect(at.system()).toBe('Rule of the deployment.');
  });
});
