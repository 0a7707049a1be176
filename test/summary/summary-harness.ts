import {
  serializeTask,
  type InteractionPayload,
  channelId,
  type Interaction,
  messageId,
  type PromptMessage,
  userId,
  workspaceId,
  type QueueDelivery,
} from '../../shared/domain/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { dispatchTask, type WorkerContext } from '../../shared/worker/index.ts';
import type {
  HistoryMessage,
  HistoryPlace,
  HistoryRange,
  History,
} from '../../shared/platforms/ports/index.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../commands/command-harness.ts';
import type { TestTime } from '../upstream/time.ts';
import { endEvent, fakePlatform } from '../chat/completion-harness.ts';

export const BY = {
  user: userId('U1'),
  workspace: workspaceId('T1'),
  roles: [],
  admin: false,
  locale: 'en',
};
export const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('100'),
} as const;
export const USAGE = { promptTokens: 100, completionTokens: 50, reasoningTokens: 0, cachedTokens: 0 };
const MINUTE_MS = 60_000;

type Choices = {
  readonly history?: Partial<History> | Error;
  /** Answers a request, by its number from 1 on and its question. */
  readonly answer?: (nth: number, question: string) => string | Error;
  readonly tokens?: number;
  readonly context?: Partial<WorkerContext>;
  readonly time?: TestTime | undefined;
};

/** A channel in which things were said, and a model that sums them up. */
export function summaryHarness({
  history = {},
  answer = () => 'They agreed [1].',
  tokens,
  context = {},
  time,
}: Choices = {}) {
  const questions: string[] = [];
  const reads: { readonly place: HistoryPlace; readonly range: HistoryRange }[] = [];
  const facts = { tools: true, modelsWithImages: [], context: tokens };
  const worker: Partial<WorkerContext> = {
    platform: {
      ...fakePlatform(),
      readHistory: (place, range) => {
        reads.push({ place, range });
        return history instanceof Error
          ? Promise.reject(history)
          : Promise.resolve({ messages: [], unreadThreads: 0, withoutText: 0, ...history });
      },
    },
    chat: {
      ...streamsOnly,
      model: 'model-a',
      modelFacts: () => Promise.resolve(facts),
      async *stream(prompt: readonly PromptMessage[], { beforeAttempt }) {
        const content = prompt.at(-1)?.content;
        const question = typeof content === 'string' ? content : '';
        const nth = questions.push(question);
        await beforeAttempt();
        const text = answer(nth, question);
        if (text instanceof Error) throw text;
        yield endEvent(text, { usage: USAGE });
      },
    },
    ...context,
  };
  const at = commandHarness(worker, time);
  const call = async (
    payload: InteractionPayload,
    more: Partial<Interaction> = {},
    delivery: Partial<QueueDelivery> = {},
  ) => {
    const interaction = fakeInteraction(payload, { id: 'asked', by: BY, ...more });
    const { platform: name, workspace, channel = channelId('none'), by } = interaction;
    const thread = interaction.thread ?? {
      platform: name,
      workspace,
      channel,
      root: messageId(interaction.id),
    };
    const turn = { v: 1, thread, message: interaction.id, asker: by.user, askerWorkspace: by.workspace };
    const body = serializeTask({ ...turn, kind: 'invoked', interaction });
    const verdict = await dispatchTask(body, at.context, {
      deadline: at.time.now() + 600_000,
      isRedelivery: false,
      isLast: false,
      ...delivery,
    });
    return { verdict, reply: JSON.stringify(at.stage.answers.at(-1)?.card) };
  };
  const message = { thread: THREAD, id: messageId('102'), author: BY.user, text: 'Yes.', attachments: [] };
  return {
    ...at,
    call,
    questions,
    reads,
    /** From a message's menu. */
    thread: (more?: Partial<Interaction>, delivery?: Partial<QueueDelivery>) =>
      call({ kind: 'on-message', name: 'summarise', message }, more, delivery),
    /** What is typed behind `/parley summarise`. */
    channel: (text = '', more?: Partial<Interaction>, delivery?: Partial<QueueDelivery>) =>
      call(typedCommand(`summarise ${text}`.trim()), more, delivery),
  };
}

/** Messages, one a minute, the last of them just now (as the world's clock begins). */
export const messagesOf = (
  texts: readonly string[],
  more: (n: number) => Partial<HistoryMessage> = () => ({}),
): HistoryMessage[] =>
  texts.map((text, n) => ({
    id: messageId(String(100 + n)),
    author: n % 2 === 0 ? 'Ada' : 'Grace',
    by: userId(n % 2 === 0 ? 'U1' : 'U2'),
    at: Date.parse('2026-01-01T00:00:00Z') - (texts.length - n) * MINUTE_MS,
    text,
    link: `https://x.example/${100 + n}`,
    ...more(n),
  }));

/** With the cost of each answer shown. */
export const WITH_FOOTER = { ...DEFAULTS, layers: { deployment: { values: { footer: true } } } };
