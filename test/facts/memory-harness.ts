import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import {
  type Attachment,
  channelId,
  type Interaction,
  messageId,
  type PlatformName,
  type PromptMessage,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { type CompletionEvent } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import type { Step } from '../../shared/platforms/ports/index.ts';
import type { WorkerContext } from '../../shared/worker/index.ts';
import { endEvent, FakeReply, fakePlatform } from '../chat/completion-harness.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { TestTime } from '../upstream/time.ts';

/** A person in a workspace. */
export type Person = Interaction['by'];

const person = (user: string, admin = false): Person => ({
  user: userId(user),
  workspace: workspaceId('T1'),
  roles: [],
  admin,
  locale: 'en',
});
export const [ADA, GRACE, ADMIN] = [person('U1'), person('U2'), person('U9', true)];

/** A public channel, a private one, and the direct channel of Ada. */
export const [PUBLIC, PRIVATE, DIRECT] = ['C1', 'G1', 'D1'] as const;

/** The call with which a model stores a fact. */
export const remembering = (fact: string): CompletionEvent[] => [
  endEvent('', {
    finish: 'tool_calls',
    toolCalls: [{ id: 'c1', name: 'remember', arguments: JSON.stringify({ fact }) }],
  }),
];

/** A workspace in which memory is allowed, unless `policy` says otherwise. */
export async function memoryHarness(more: Partial<WorkerContext> = {}, policy = 'on') {
  const time = new TestTime();
  const prompts: (readonly PromptMessage[])[] = [];
  const offered: (readonly string[])[] = [];
  const steps: Step[] = [];
  /** What the model answers, in order; a sentence by default. */
  const script: CompletionEvent[][] = [];
  class StepReply extends FakeReply {
    override step(step: Step): void {
      steps.push(step);
    }
  }
  const logged: string[] = [];
  const at = commandHarness(
    {
      isPublicChannel: ({ channel }) => Promise.resolve(channel.startsWith('C')),
      platform: { ...fakePlatform(), reply: () => new StepReply() },
      chat: {
        ...streamsOnly,
        modelFacts: () => Promise.resolve({ tools: true, modelsWithImages: [] }),
        async *stream(prompt, { tools = [] }) {
          prompts.push([...prompt]);
          offered.push(tools.map(({ name }) => name));
          yield* script.shift() ?? [endEvent('Well.')];
        },
      },
      log: (event) => void logged.push(event),
      ...more,
    },
    time,
  );
  const context = intakeWithin(at.context);
  let calls = 0;
  const send = async (payload: Interaction['payload'], by: Person, place: Partial<Interaction>) => {
    calls += 1;
    const also = { receivedAt: time.now(), ...place };
    await at.call(fakeInteraction(payload, { id: `call-${calls}`, by, ...also }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const type = (text: string, by: Person = ADA, channel: string = PUBLIC, also: Partial<Interaction> = {}) =>
    send(typedCommand(text), by, { channel: channelId(channel), ...also });
  const press = (name: string, args: string[], by: Person = ADA, channel: string = PUBLIC) =>
    send({ kind: 'action', action: { name, args }, chosen: [] }, by, { channel: channelId(channel) });
  const submit = (id: string, text: string, by: Person = ADA) =>
    send({ kind: 'form', action: { name: 'memory.save', args: [id] }, values: { text } }, by, {
      channel: channelId(PUBLIC),
    });
  /** Asks in a new thread, or in that of `root`. Resolves with the last message of the prompt of the first request. */
  const ask = async (
    text: string,
    {
      channel = PUBLIC,
      by = ADA,
      root,
      attachments = [],
      platform = 'slack',
    }: {
      readonly channel?: string;
      readonly by?: Person;
      readonly root?: string;
      readonly attachments?: readonly Attachment[];
      readonly platform?: PlatformName;
    } = {},
  ): Promise<string> => {
    time.advance(1_000);
    const id = `${Math.floor(time.now() / 1_000)}.${String(calls).padStart(6, '0')}`;
    calls += 1;
    const thread = {
      platform,
      workspace: by.workspace,
      channel: channelId(channel),
      root: messageId(root ?? id),
    };
    const first = prompts.length;
    await acceptQuestion(
      {
        thread,
        id: messageId(id),
        author: by.user,
        authorWorkspace: by.workspace,
        text,
        attachments,
        addressed: 'mention',
      },
      context,
    );
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift()) await at.dispatch(sent.body);
    const last = prompts[first]?.at(-1)?.content;
    return typeof last === 'string' ? last : JSON.stringify(last);
  };
  if (policy === 'on') await type('settings memory on for:workspace', ADMIN);
  return { ...at, prompts, offered, steps, script, type, press, submit, ask, send, logged };
}
